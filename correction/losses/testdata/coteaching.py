"""Writes losses/co-teaching.json, the oracle of the test of co-teaching.

Algorithm 1 of Han et al. 2018 in plain PyTorch, for two networks' logits: at several
epochs the loss and its gradient by both. T keeps .9, .8, .7 and .3 of the classes' labels
and gives the rest to the next class. torch 2.11.0.

    python3 coteaching.py
"""
import json
import math

import torch

torch.set_default_dtype(torch.float64)
g = torch.Generator().manual_seed(4)
N, C, GRADUAL = 10, 4, 10
shares = torch.tensor([0.48, 0.19, 0.18, 0.15])  # of the given labels
T = torch.zeros(C, C)
for i, kept in enumerate((0.9, 0.8, 0.7, 0.3)):
    T[i, i], T[i, (i + 1) % C] = kept, 1 - kept
clean = torch.linalg.solve(T.T, shares)
tau = (1 - (clean * T.diagonal()).sum()).item()
labels = torch.tensor([0, 1, 2, 3, 0, 1, 2, 3, 2, 2])
z = (torch.randn(2, N, C, generator=g) * 2 * 64).round() / 64
epochs = []
for epoch in (0, 3, 10, 25):
    z = z.detach().requires_grad_()
    losses = [torch.nn.functional.cross_entropy(z[k], labels, reduction="none") for k in (0, 1)]
    remember = math.floor((1 - min(epoch / GRADUAL * tau, tau)) * N + 1e-9)
    small = [l.argsort()[:remember] for l in losses]
    loss = losses[0][small[1]].mean() + losses[1][small[0]].mean()
    (gradient,) = torch.autograd.grad(loss, z)
    epochs.append({"epoch": epoch, "loss": loss.item(), "gradient": gradient.flatten().tolist()})
with open("losses/co-teaching.json", "w") as f:
    json.dump({"shares": shares.tolist(), "rate": tau, "labels": labels.tolist(), "logits": z.flatten().tolist(), "epochs": epochs}, f)
    f.write("\n")
