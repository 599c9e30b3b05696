"""A Gaussian process of GPyTorch, as its tutorials fit one to a table.

Matérn 5/2 kernel with a length of its own for each input, constant mean, one noise for all rows; inputs and target
standardised; the marginal likelihood maximised by Adam with a step of 0.1.
"""

from __future__ import annotations

import numpy as np

STEPS, RATE = 200, 0.1


def gaussian_process(x: np.ndarray, y: np.ndarray, new: np.ndarray, seed: int, quick: bool) -> tuple[np.ndarray, ...]:
    """Mean and standard deviation of new measurements, noise included, in the target's unit."""
    import gpytorch
    import torch

    class Process(gpytorch.models.ExactGP):
        def __init__(self, x: torch.Tensor, y: torch.Tensor, likelihood: gpytorch.likelihoods.Likelihood) -> None:
            super().__init__(x, y, likelihood)
            self.mean_module = gpytorch.means.ConstantMean()
            kernel = gpytorch.kernels.MaternKernel(nu=2.5, ard_num_dims=x.shape[1])
            self.covar_module = gpytorch.kernels.ScaleKernel(kernel)

        def forward(self, x: torch.Tensor) -> gpytorch.distributions.MultivariateNormal:
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    centre, scale = x.mean(axis=0), np.where(x.std(axis=0) > 0, x.std(axis=0), 1)
    inputs, asked = (torch.as_tensor((rows - centre) / scale) for rows in (x, new))
    target = torch.as_tensor((y - y.mean()) / y.std())
    likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
    process = Process(inputs, target, likelihood).double()
    process.train()
    likelihood.train()
    optimizer = torch.optim.Adam(process.parameters(), lr=RATE)
    goal = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, process)
    for _ in range(10 if quick else STEPS):
        optimizer.zero_grad()
        loss = -goal(process(inputs), target)
        loss.backward()
        optimizer.step()
    process.eval()
    likelihood.eval()
    with torch.no_grad():
        said = likelihood(process(asked))
        return said.mean.numpy() * y.std() + y.mean(), said.stddev.numpy() * y.std()
