"""Study `comparison`: all methods on all datasets."""
