"""Writes losses/volume-minimization.json, the oracle of the test of volume minimization.

Equation 4 of Li et al. 2021 in plain PyTorch, T as a softmax over rows that starts at log
T: the loss with its gradients by the logits and by the numbers behind T, and T after 25
steps of gradient descent at .5 on these numbers alone. torch 2.11.0.

    python3 volume.py
"""
import json

import torch

torch.set_default_dtype(torch.float64)
g = torch.Generator().manual_seed(7)
N, C, LAMBDA = 8, 4, 0.05
T = torch.zeros(C, C)
for i in range(C):
    for step, share in enumerate((0.6, 0.3, 0.1)):
        T[i, (i + step) % C] += share
labels = torch.tensor([0, 1, 2, 3, 0, 1, 2, 3])
z = (torch.randn(N, C, generator=g) * 2 * 64).round() / 64
z.requires_grad_()
v = T.clamp(min=1e-4).log().requires_grad_()


def objective(v):
    t = v.softmax(1)
    noisy = z.softmax(1) @ t
    return torch.nn.functional.nll_loss(noisy.log(), labels) + LAMBDA * t.det().abs().log()


loss = objective(v)
by_z, by_v = torch.autograd.grad(loss, (z, v))
w = v.detach().clone()
for _ in range(25):
    w.requires_grad_()
    (step,) = torch.autograd.grad(objective(w), w)
    w = (w - 0.5 * step).detach()
with open("losses/volume-minimization.json", "w") as f:
    json.dump(
        {
            "labels": labels.tolist(),
            "logits": z.flatten().tolist(),
            "loss": loss.item(),
            "by_logits": by_z.flatten().tolist(),
            "by_v": by_v.flatten().tolist(),
            "learned": w.softmax(1).flatten().tolist(),
        },
        f,
    )
    f.write("\n")
