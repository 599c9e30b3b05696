"""Study `toys`: all methods on the paper's toys. Two further studies share its methods and scores."""
