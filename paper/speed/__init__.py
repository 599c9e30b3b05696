"""Study `speed`: what accuracy costs in seconds."""
