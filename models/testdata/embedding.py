"""Writes embedding.safetensors: a small IMDB embedding network in PyTorch, its logits
and its gradients, in float64, with the dropout masks that our generator draws.

    python embedding.py    (torch 2.11.0, numpy, safetensors)
"""

import numpy as np
import torch
from safetensors.torch import save_file

WORDS, LENGTH, DIM, CLASSES, BATCH, P, SEED = 37, 19, 13, 3, 6, 0.8, 11
MASK64 = (1 << 64) - 1


def splitmix(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK64
    z = x
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK64
    return x, z ^ z >> 31


def keep_mask(count, p, seed):
    """The first mask of a stream, as cgo/shim defines it, for up to 65536 draws."""
    drop = round(p * 65536)
    base = splitmix(splitmix(seed)[1])[1]  # of call 0
    state = splitmix((base + 0xD1342543DE82EF95) & MASK64)[1]
    s = np.zeros((4, 16), np.uint32)
    for word in range(4):
        for lane in range(16):
            state, z = splitmix(state)
            s[word, lane] = z >> 32
    draws = []
    while len(draws) < count:
        total = s[0] + s[3]
        word = (total << 7 | total >> 25) + s[0]
        t = s[1] << 9
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = s[3] << 11 | s[3] >> 21
        for w in word:
            draws += [w & 0xFFFF, w >> 16]
    return np.array(draws[:count]) >= drop, 1 / (1 - drop / 65536)


def main():
    torch.manual_seed(1)
    ids = torch.randint(3, WORDS, (BATCH, LENGTH))
    for row, padding in enumerate([0, 4, 18, 19, 1, 7]):
        ids[row, :padding] = 0
    labels = torch.randint(0, CLASSES, (BATCH,))
    table = torch.randn(WORDS, DIM, dtype=torch.float64)
    weight = torch.randn(CLASSES, LENGTH * DIM, dtype=torch.float64) / 10
    bias = torch.randn(CLASSES, dtype=torch.float64)
    out = {"ids": ids, "labels": labels, "embedding.weight": table, "dense.weight": weight, "dense.bias": bias}
    shapes = {"none": (1,), "channels": (BATCH, 1, DIM), "elements": (BATCH, LENGTH, DIM), "words": (WORDS, 1)}
    for name, shape in shapes.items():
        params = [p.clone().requires_grad_() for p in (table, weight, bias)]
        mask, scale = (np.ones(1), 1) if name == "none" else keep_mask(int(np.prod(shape)), P, SEED)
        mask = torch.tensor(mask.reshape(shape)) * scale
        x = torch.nn.functional.embedding(ids, params[0] * mask if name == "words" else params[0])
        if name != "words":
            x = x * mask
        logits = torch.nn.functional.linear(torch.relu(x).flatten(1), params[1], params[2])
        torch.nn.functional.cross_entropy(logits, labels).backward()
        out[name + ".logits"] = logits.detach()
        for key, p in zip(("embedding.weight", "dense.weight", "dense.bias"), params):
            out[f"{name}.{key}.grad"] = p.grad
    save_file({k: v.contiguous() for k, v in out.items()}, "embedding.safetensors")


if __name__ == "__main__":
    main()
