"""Study `uci`: the standard benchmark of error bars, nine tables and their 20 splits."""
