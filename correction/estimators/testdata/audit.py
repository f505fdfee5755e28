"""Makes audit_*.bin.gz: out-of-fold logits of small networks on MNIST with wrong labels.

    python3 audit.py ../../../data/mnist

Four folds; a multilayer perceptron of 784-128-128-10, 4 epochs of Adam. The first networks
are trained by cross-entropy, the second ones one epoch by cross-entropy and three with
forward correction by the true T. Of the first 12,000 examples, each is 22 bytes: true
label, given label, and the logits of the first and of the second network as
round(4 (max z - z)), at most 255.
"""
import gzip
import sys

import numpy as np
import torch
from torch import nn

torch.set_num_threads(1)
EPOCHS, BATCH, RATE, KEPT = 4, 128, 1e-3, 12000


def idx(path):
    data = gzip.open(path).read()
    return np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).copy()


def network(seed):
    torch.manual_seed(seed)
    net = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))
    for layer in net[::2]:
        nn.init.kaiming_normal_(layer.weight)
        nn.init.zeros_(layer.bias)
    return net


def train(net, x, given, part, log_t, seed):
    rng = np.random.default_rng(seed)
    adam = torch.optim.Adam(net.parameters(), lr=RATE)
    steps = EPOCHS * (len(part) // BATCH)
    step = 0
    for epoch in range(EPOCHS):
        order = rng.permutation(part)
        for k in range(0, len(order) - BATCH + 1, BATCH):
            for group in adam.param_groups:
                group["lr"] = RATE * min(1, 2 * (1 - step / steps))
            step += 1
            batch = torch.from_numpy(order[k:k + BATCH])
            log_p = net(x[batch]).log_softmax(1)
            if log_t is not None and epoch > 0:
                log_p = torch.logsumexp(log_p[:, :, None] + log_t, 1)
            adam.zero_grad()
            nn.functional.nll_loss(log_p, given[batch]).backward()
            adam.step()


def out_of_fold(x, given, folds, log_t, seed):
    logits = torch.zeros(len(x), 10)
    for f in range(4):
        net = network(seed + f)
        train(net, x, given, np.flatnonzero(folds != f), log_t, seed + 10 + f)
        with torch.no_grad():
            logits[folds == f] = net(x[folds == f])
    z = logits.numpy()
    return np.minimum(255, np.rint(4 * (z.max(1, keepdims=True) - z))).astype(np.uint8)


def main(folder):
    x = torch.from_numpy(idx(folder + "/train-images-idx3-ubyte.gz").reshape(-1, 784) / np.float32(255))
    true = idx(folder + "/train-labels-idx1-ubyte.gz")
    symmetric = np.full((10, 10), .2 / 9)
    np.fill_diagonal(symmetric, .8)
    asymmetric = np.eye(10)
    for i, j in [(2, 7), (3, 8), (5, 6), (6, 5), (7, 1)]:
        asymmetric[i, i], asymmetric[i, j] = .6, .4
    for name, t in [("symmetric_2", symmetric), ("asymmetric_4", asymmetric)]:
        rng = np.random.default_rng(1)
        u = rng.random(len(true))
        given = np.minimum(9, (u[:, None] >= t.cumsum(1)[true]).sum(1))
        folds = rng.permutation(len(true)) % 4
        labels = torch.from_numpy(given)
        log_t = torch.tensor(t, dtype=torch.float32).clamp_min(1e-30).log()
        first = out_of_fold(x, labels, folds, None, 100)
        second = out_of_fold(x, labels, folds, log_t, 200)
        rows = np.column_stack([true, given.astype(np.uint8), first, second])[:KEPT]
        with open(f"audit_{name}.bin.gz", "wb") as f, gzip.GzipFile(fileobj=f, mode="wb", mtime=0) as z:
            z.write(rows.astype(np.uint8).tobytes())


main(sys.argv[1])
