"""Writes losses/NAME.json, the oracle of the test of each loss that is named here.

A reference is the formula of the loss's paper in plain PyTorch, a function of
log-probabilities l [N C] and labels y [N] that returns the loss of each example; its
gradient is autograd's. torch 2.11.0.

    python3 losses.py           (in this folder; all losses)
    python3 losses.py gce mae   (some of them)
"""
import json
import math
import sys

import torch

torch.set_default_dtype(torch.float64)


def given(l, y):
    return l.gather(1, y[:, None]).squeeze(1)


def rest(l, y):
    """The sum of the p_k with k != y; 1 - p_y once p is clipped and does not sum to 1."""
    p = l.exp()
    if torch.allclose(p.sum(1), torch.ones(len(y))):
        return p.sum(1) - given(p, y)
    return 1 - given(p, y)


def cross_entropy(l, y):
    return -given(l, y)


def mae(l, y):  # Ghosh, Kumar and Sastry 2017: the sum of |e_y - p|
    return 1 - given(l.exp(), y) + rest(l, y)


def gce(l, y, q=0.7):  # Zhang and Sabuncu 2018, Equation 6
    return (1 - torch.exp(q * given(l, y))) / q


def reverse(l, y):  # Wang et al. 2019: -sum p_k log e_yk, with log 0 = -4
    return 4 * rest(l, y)


def sce(l, y, alpha=0.1, beta=1):  # Wang et al. 2019
    return alpha * cross_entropy(l, y) + beta * reverse(l, y)


def nce_rce(l, y, alpha=1, beta=1):  # Ma et al. 2020: NCE = log p_y / sum log p_k
    return alpha * cross_entropy(l, y) / -l.sum(1) + beta * reverse(l, y)


def smoothed(l, y, r=0.1):  # Szegedy et al. 2016, Section 7
    t = (1 - r) * torch.nn.functional.one_hot(y, l.shape[1]) + r / l.shape[1]
    return -(t * l).sum(1)


def negatively_smoothed(l, y):  # Wei et al. 2022, Equation 1 with r below 0
    return smoothed(l, y, -1)


def transition(c):  # keeps .6 of each class's labels, gives .3 to the next and .1 to the one after
    t = torch.zeros(c, c)
    for i in range(c):
        for step, share in enumerate((0.6, 0.3, 0.1)):
            t[i, (i + step) % c] += share
    return t


def reweight(l, y):  # Liu and Tao 2016; Xia et al. 2019, the code of T-Revision: w is constant
    noisy = torch.logsumexp(l[:, :, None] + transition(l.shape[1]).log(), dim=1)
    w = (given(l, y) - given(noisy, y)).exp().detach()
    return w * cross_entropy(l, y)


REFERENCES = {
    "cross-entropy": cross_entropy,
    "mae": mae,
    "gce": gce,
    "sce": sce,
    "nce-rce": nce_rce,
    "label-smoothing": smoothed,
    "negative-label-smoothing": negatively_smoothed,
    "reweight": reweight,
}


def batches():
    g = torch.Generator().manual_seed(1)

    def normal(n, c):
        return (torch.randn(n, c, generator=g) * 2 * 64).round() / 64  # exact in float32

    yield "two classes", normal(3, 2), [0, 1, 1]
    yield "three classes", normal(5, 3), [0, 2, 1, 1, 0]
    yield "ten classes", normal(3, 10), [9, 0, 4]
    yield "one class", normal(4, 3), [1, 1, 1, 1]
    yield "one example", normal(1, 3), [2]
    yield "certain", torch.tensor([[1e4, -1e4, 0], [1e4, -1e4, 0], [-1e4, -1e4, 1e4]]), [0, 1, 0]


def main():
    for name in sys.argv[1:] or REFERENCES:
        cases = []
        for title, z, y in batches():
            for clip in (0, 0.02):
                z = z.detach().requires_grad_()
                l = z.log_softmax(1)
                if clip:
                    l = l.clamp(math.log(clip), math.log1p(-clip))
                loss = REFERENCES[name](l, torch.tensor(y)).mean()
                (gradient,) = torch.autograd.grad(loss, z)
                cases.append({
                    "name": title, "classes": z.shape[1], "clip": clip, "logits": z.flatten().tolist(),
                    "labels": y, "loss": loss.item(), "gradient": gradient.flatten().tolist(),
                })
        with open(f"losses/{name}.json", "w") as f:
            f.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")


main()
