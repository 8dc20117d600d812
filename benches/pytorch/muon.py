"""Muon in float32 on stacks of equal matrices."""

from collections import defaultdict

import torch

COEFFICIENTS = (3.4445, -4.7750, 2.0315)


def orthogonalised(matrices):
    """Five quintic Newton-Schulz steps towards the nearest orthogonal matrix of each `[rows, columns]` in a stack."""
    a, b, c = COEFFICIENTS
    tall = matrices.shape[-2] > matrices.shape[-1]
    x = matrices.mT if tall else matrices
    x = x / x.norm(dim=(-2, -1), keepdim=True).clamp_min(1e-7)
    for _ in range(5):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.mT if tall else x


class Muon(torch.optim.Optimizer):
    """Nesterov momentum, orthogonalised; learning rate scaled by `0.2 sqrt(max(rows, columns))`.

    `torch.optim.Muon` has the same rule (`adjust_lr_fn="match_rms_adamw"`), but takes one matrix after another and
    rounds to bfloat16, which is slow on most CPUs. Equal shapes share their products here.
    """

    def __init__(self, params, lr, weight_decay, momentum=0.95):
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, "momentum": momentum})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            by_shape = defaultdict(list)
            for parameter in group["params"]:
                if parameter.grad is not None:
                    by_shape[parameter.shape].append(parameter)
            for shape, parameters in by_shape.items():
                self.update(parameters, shape, group)

    def update(self, parameters, shape, group):
        gradients = [p.grad for p in parameters]
        momenta = [self.state[p].setdefault("momentum", torch.zeros_like(p)) for p in parameters]
        torch._foreach_mul_(momenta, group["momentum"])
        torch._foreach_add_(momenta, gradients)
        looking_ahead = torch._foreach_add(gradients, momenta, alpha=group["momentum"])
        directions = orthogonalised(torch.stack(looking_ahead)).unbind()
        torch._foreach_mul_(parameters, 1 - group["lr"] * group["weight_decay"])
        torch._foreach_add_(parameters, directions, alpha=-group["lr"] * 0.2 * max(shape) ** 0.5)
