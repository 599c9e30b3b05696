"""Study `honesty`: do error bars, budgets and named rows hold in cases that are ordinary in a laboratory?"""
