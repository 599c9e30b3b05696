"""Study `active`: methods that choose their next training rows."""
