"""Models on this machine: which fit, which fill a role, how they are loaded."""
