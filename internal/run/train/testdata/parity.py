"""Trains the MNIST network in PyTorch and stores its losses, for parity_test.go.

    python3 training/testdata/parity.py      (from the repository's root; torch 2.11.0, numpy)

The same weights on the same batches as the Go test: weight i of a layer is
drawn from its index by Knuth's multiplicative hash, batch k is the training
images 128 k to 128 k + 127, with their true labels; no dropout.
"""

import gzip
import json

import numpy as np
import torch

STEPS, BATCH = 100, 128


def idx(path, offset):
    with gzip.open(path) as f:
        return np.frombuffer(f.read(), np.uint8, offset=offset)


def weights(layer, out, fan_in):
    i = np.arange(out * fan_in, dtype=np.uint64) + np.uint64(1000003 * layer)
    unit = ((i * np.uint64(2654435761)) % np.uint64(1 << 32)).astype(np.float64) / 2**32
    return ((2 * unit - 1) * np.sqrt(6 / fan_in)).reshape(out, fan_in)


def network(dtype):
    layers = []
    for n, (out, fan_in) in enumerate([(128, 784), (128, 128), (10, 128)]):
        linear = torch.nn.Linear(fan_in, out, dtype=dtype)
        with torch.no_grad():
            linear.weight.copy_(torch.tensor(weights(n, out, fan_in)))
            linear.bias.zero_()
        layers += [linear, torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])


def transition(dtype):
    """The paper's asymmetric noise for MNIST at N = .3."""
    t = torch.eye(10, dtype=torch.float64)
    for i, j in [(2, 7), (3, 8), (5, 6), (6, 5), (7, 1)]:
        t[i, i], t[i, j] = 0.7, 0.3
    return t


def losses(name, dtype):
    t = transition(dtype)
    inverse = torch.linalg.inv(t).to(dtype)
    t = t.to(dtype)

    def loss(z, y):
        log_p = torch.log_softmax(z, 1)
        if name == "cross-entropy":
            return torch.nn.functional.nll_loss(log_p, y)
        if name == "forward":
            return -torch.log((log_p.exp() @ t).gather(1, y[:, None])).mean()
        return -(inverse[y] * log_p).sum(1).mean()

    return loss


# From an accumulator of 0, AdaGrad's first step for a weight is the sign of its
# gradient: where a sum over the batch cancels to float32's rounding, that sign
# depends on the order of summation, and so on the processor. Hence the start at
# .1 for float32.
OPTIMIZERS = {
    "sgd": lambda p, dtype: torch.optim.SGD(p, lr=0.005, momentum=0.9, weight_decay=1e-4),
    "adagrad": lambda p, dtype: torch.optim.Adagrad(p, lr=0.01, eps=1e-8, initial_accumulator_value=0.1 if dtype == torch.float32 else 0),
    "adam": lambda p, dtype: torch.optim.Adam(p, lr=1e-3),
}


def main():
    torch.set_num_threads(1)
    x = idx("data/mnist/train-images-idx3-ubyte.gz", 16).reshape(-1, 784)[: STEPS * BATCH].astype(np.float32) / np.float32(255)
    y = torch.tensor(idx("data/mnist/train-labels-idx1-ubyte.gz", 8)[: STEPS * BATCH].astype(np.int64))
    out = {"torch": torch.__version__.split("+")[0], "losses": {}}
    for dtype in (torch.float32, torch.float64):
        images = torch.tensor(x).to(dtype)
        for name in ("cross-entropy", "forward", "backward"):
            for optimizer, make in OPTIMIZERS.items():
                net, f = network(dtype), losses(name, dtype)
                step, series = make(net.parameters(), dtype), []
                for k in range(STEPS):
                    rows = slice(k * BATCH, (k + 1) * BATCH)
                    loss = f(net(images[rows]), y[rows])
                    step.zero_grad()
                    loss.backward()
                    step.step()
                    series.append(loss.item())
                key = f"{str(dtype).removeprefix('torch.')} {name} {optimizer}"
                out["losses"][key] = [float(f"{v:.12g}") for v in series]
    with open("training/testdata/parity.json", "w") as f:
        json.dump(out, f, indent=0)
        f.write("\n")


if __name__ == "__main__":
    main()
