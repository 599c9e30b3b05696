"""Study `deviations`: noise that the model does not assume."""
