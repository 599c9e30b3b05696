"""Study `timing`: seconds to fit and to predict."""
