"""Writes losses/mixup.json, the oracle of the test of mixup.

The loss of a batch under a linear network by the formula of Zhang et al. 2018, with soft
labels, for several weights; gradients are those by the network's weights. torch 2.11.0.

    python3 mixup.py
"""
import json

import torch

torch.set_default_dtype(torch.float64)
g = torch.Generator().manual_seed(3)


def normal(*shape):
    return (torch.randn(*shape, generator=g) * 64).round() / 64


x, w, y, order = normal(5, 4), normal(3, 4), [0, 2, 1, 1, 0], [3, 0, 2, 4, 1]
cases = []
for weight in (0.0, 0.25, 0.625, 1.0):
    w = w.detach().requires_grad_()
    labels = torch.nn.functional.one_hot(torch.tensor(y), 3).double()
    mixed = weight * x + (1 - weight) * x[order]
    soft = weight * labels + (1 - weight) * labels[order]
    loss = -(soft * (mixed @ w.T).log_softmax(1)).sum(1).mean()
    (gradient,) = torch.autograd.grad(loss, w)
    cases.append({"weight": weight, "loss": loss.item(), "gradient": gradient.flatten().tolist()})
with open("losses/mixup.json", "w") as f:
    json.dump({"x": x.flatten().tolist(), "w": w.flatten().tolist(), "labels": y, "order": order, "cases": cases}, f)
    f.write("\n")
