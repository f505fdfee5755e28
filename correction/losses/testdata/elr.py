"""Writes losses/elr.json, the oracle of the test of early-learning regularization.

Three steps with four of six examples, in plain PyTorch by the formula and the published
code of Liu et al. 2020: at each step the loss, the gradient by the logits, and the
targets of all examples after it. torch 2.11.0.

    python3 elr.py
"""
import json

import torch

torch.set_default_dtype(torch.float64)
BETA, LAMBDA = 0.7, 3
g = torch.Generator().manual_seed(2)
targets = torch.zeros(6, 3)
steps = []
for rows, y in (([0, 2, 3, 5], [1, 1, 0, 2]), ([5, 1, 0, 2], [2, 0, 1, 1]), ([2, 4, 1, 3], [1, 1, 0, 0])):
    z = ((torch.randn(4, 3, generator=g) * 2 * 64).round() / 64).clone()
    if len(steps) == 2:
        z[0] = torch.tensor([1e4, -1e4, 0.0])  # p is clipped
    z.requires_grad_()
    p = z.softmax(1).clamp(1e-4, 1 - 1e-4)
    now = p.detach() / p.detach().sum(1, keepdim=True)
    targets[rows] = BETA * targets[rows] + (1 - BETA) * now
    loss = torch.nn.functional.cross_entropy(z, torch.tensor(y))
    loss = loss + LAMBDA * (1 - (targets[rows] * p).sum(1)).log().mean()
    (gradient,) = torch.autograd.grad(loss, z)
    steps.append({
        "rows": rows, "labels": y, "logits": z.flatten().tolist(), "loss": loss.item(),
        "gradient": gradient.flatten().tolist(), "targets": targets.flatten().tolist(),
    })
with open("losses/elr.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(step) for step in steps) + "\n]\n")
