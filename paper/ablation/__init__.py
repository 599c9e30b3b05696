"""Study `ablation`: the default with one thing changed at a time."""
