"""The MNIST network, eagerly, on the images in DATA."""

import gzip

EXAMPLES = 12800


def idx(path, offset):
    with gzip.open(path) as f:
        return np.frombuffer(f.read(), np.uint8, offset=offset)


x = torch.tensor(idx(DATA + "/train-images-idx3-ubyte.gz", 16).reshape(-1, 784)[:EXAMPLES].astype(np.float32) / 255).to(DEVICE)
y = torch.tensor(idx(DATA + "/train-labels-idx1-ubyte.gz", 8)[:EXAMPLES].astype(np.int64)).to(DEVICE)
net = torch.nn.Sequential(
    torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Dropout(0.2),
    torch.nn.Linear(128, 128), torch.nn.ReLU(), torch.nn.Dropout(0.2),
    torch.nn.Linear(128, 10),
).to(DEVICE)  # fmt: skip
serve(training(net, x, y, torch.optim.Adagrad(net.parameters(), lr=0.01, eps=1e-8)), EXAMPLES)
