"""PyTorch's side of make bench: training steps of the MNIST network, eagerly.

Reads lines "STEPS" from stdin, does that many steps, and answers with seconds.
The first answer is a line that names versions. Arguments: the folder of MNIST.
"""

import gzip
import sys
import time

import numpy as np
import torch

BATCH, EXAMPLES = 128, 12800


def idx(path, offset):
    with gzip.open(path) as f:
        return np.frombuffer(f.read(), np.uint8, offset=offset)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(1)
    x = torch.tensor(idx(sys.argv[1] + "/train-images-idx3-ubyte.gz", 16).reshape(-1, 784)[:EXAMPLES].astype(np.float32) / 255)
    y = torch.tensor(idx(sys.argv[1] + "/train-labels-idx1-ubyte.gz", 8)[:EXAMPLES].astype(np.int64))
    net = torch.nn.Sequential(
        torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Dropout(0.2),
        torch.nn.Linear(128, 128), torch.nn.ReLU(), torch.nn.Dropout(0.2),
        torch.nn.Linear(128, 10),
    )  # fmt: skip
    optimizer = torch.optim.Adagrad(net.parameters(), lr=0.01, eps=1e-8)
    loss_of = torch.nn.CrossEntropyLoss()
    print(f"PyTorch {torch.__version__}, Python {sys.version.split()[0]}, {torch.get_num_threads()} thread", flush=True)
    for line in sys.stdin:
        steps = int(line)
        rows = torch.randperm(EXAMPLES)
        begun = time.perf_counter()
        for step in range(steps):
            at = step * BATCH % EXAMPLES
            batch = rows[at : at + BATCH]
            loss = loss_of(net(x[batch]), y[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(time.perf_counter() - begun, flush=True)


if __name__ == "__main__":
    main()
