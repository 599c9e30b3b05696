"""Study `antinoise`: noise on a part of the training entries."""
