"""Study `scaling`: time, memory and errors as rows and parameters grow."""
