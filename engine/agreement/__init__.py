"""Several readings of the evidence: votes, their consensus, what contradicts it."""
