"""Writes losses/gold.json, the oracle of the test of gold loss correction.

Hendrycks et al. 2018, Algorithm 1, in plain PyTorch: a batch of silver examples with their
noisy labels and of gold ones with their true labels, the loss of both over the size of the
batch, and its gradient by the logits. torch 2.11.0.

    python3 gold.py
"""
import json

import torch

torch.set_default_dtype(torch.float64)
g = torch.Generator().manual_seed(6)
N, C = 8, 4
T = torch.zeros(C, C)
for i in range(C):
    for step, share in enumerate((0.6, 0.3, 0.1)):
        T[i, (i + step) % C] += share
labels = torch.tensor([0, 1, 2, 3, 0, 1, 2, 3])
rows = torch.tensor([9, 2, 4, 0, 7, 1, 3, 8])
truth = {2: 0, 7: 0, 8: 2, 5: 1}  # by row; row 5 is not in the batch
z = (torch.randn(N, C, generator=g) * 2 * 64).round() / 64
z.requires_grad_()
p = z.softmax(1)
loss = 0
for k in range(N):
    row = rows[k].item()
    q = p[k, truth[row]] if row in truth else (T.T @ p[k])[labels[k]]
    loss = loss - q.log() / N
(gradient,) = torch.autograd.grad(loss, z)
with open("losses/gold.json", "w") as f:
    json.dump(
        {
            "labels": labels.tolist(),
            "rows": rows.tolist(),
            "trusted": [{"Index": i, "Label": t} for i, t in truth.items()],
            "logits": z.flatten().tolist(),
            "loss": loss.item(),
            "gradient": gradient.flatten().tolist(),
        },
        f,
    )
    f.write("\n")
