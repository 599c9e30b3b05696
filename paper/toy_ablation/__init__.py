"""Study `toy_ablation`: the paper's ablation on its toys."""
