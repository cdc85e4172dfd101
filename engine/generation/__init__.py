"""What the models write: samples of the small one, the answer of the large one."""
