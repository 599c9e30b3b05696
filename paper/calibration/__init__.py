"""Study `calibration`: error bars and learned noise where the truth is known."""
