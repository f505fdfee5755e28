"""The MNIST network, eagerly. Argument: the folder of MNIST."""

import gzip

EXAMPLES = 12800


def idx(path, offset):
    with gzip.open(path) as f:
        return np.frombuffer(f.read(), np.uint8, offset=offset)


x = torch.tensor(idx(sys.argv[1] + "/train-images-idx3-ubyte.gz", 16).reshape(-1, 784)[:EXAMPLES].astype(np.float32) / 255)
y = torch.tensor(idx(sys.argv[1] + "/train-labels-idx1-ubyte.gz", 8)[:EXAMPLES].astype(np.int64))
net = torch.nn.Sequential(
    torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Dropout(0.2),
    torch.nn.Linear(128, 128), torch.nn.ReLU(), torch.nn.Dropout(0.2),
    torch.nn.Linear(128, 10),
)  # fmt: skip
serve(training(net, x, y, torch.optim.Adagrad(net.parameters(), lr=0.01, eps=1e-8)), EXAMPLES)
