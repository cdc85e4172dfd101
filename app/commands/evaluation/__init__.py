"""`askance eval` and the commands below it."""
