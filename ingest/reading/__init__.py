"""How sources are read: listed, handed to locked-down processes, yielded in order."""
