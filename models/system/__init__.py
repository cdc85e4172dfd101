"""What this machine has and keeps: memory, files, secrets, the environment of processes."""
