"""Study `published`: the splits of others, beside their figures."""
