"""Writes hoc.json, the oracle of the test of estimator hoc.

The estimator of Zhu et al. 2021, Section 4, in plain PyTorch, as in the published code with
all examples in one round and equal classes at the start: 90 examples of three clouds, the
cosines of all pairs, counts one by one, and 1500 steps of Adam; early is T
after 50 of them. torch 2.11.0.

    python3 hoc.py
"""
import json

import torch

torch.set_default_dtype(torch.float64)
g = torch.Generator().manual_seed(8)
N, C, D = 90, 3, 4
clean = torch.arange(N) % C
features = torch.eye(C, D)[clean] * 4 + torch.randn(N, D, generator=g)
features = (features * 64).round() / 64
T = torch.tensor([[0.7, 0.3, 0.0], [0.1, 0.8, 0.1], [0.0, 0.4, 0.6]])
labels = torch.multinomial(T[clean], 1, generator=g).flatten()

first, second, third = torch.zeros(C), torch.zeros(C, C), torch.zeros(C, C, C)
for x in range(N):
    cosine = torch.nn.functional.cosine_similarity(features[x : x + 1], features)
    cosine[x] = -2
    y, z = cosine.topk(2).indices
    first[labels[x]] += 1 / N
    second[labels[x], labels[y]] += 1 / N
    third[labels[x], labels[y], labels[z]] += 1 / N

v = (5 * torch.eye(C) - torch.ones(C, C)).requires_grad_()
prior = torch.zeros(C, requires_grad=True)
adam = torch.optim.Adam([v, prior], lr=0.1)
least, best = float("inf"), None
early = None
for step in range(1500):
    t, p = v.softmax(1), prior.softmax(0)
    loss = (
        torch.norm(first - torch.einsum("k,ki->i", p, t))
        + torch.norm(second - torch.einsum("k,ki,kj->ij", p, t, t))
        + torch.norm(third - torch.einsum("k,ki,kj,kl->ijl", p, t, t, t))
    )
    if loss.item() < least:
        least, best = loss.item(), t.detach().clone()
    if step == 49:
        early = best
    adam.zero_grad()
    loss.backward()
    adam.step()
with open("hoc.json", "w") as f:
    json.dump({"features": features.flatten().tolist(), "labels": labels.tolist(), "shares": third.flatten().tolist(), "least": least, "T": best.tolist(), "early": early.tolist()}, f)
    f.write("\n")
