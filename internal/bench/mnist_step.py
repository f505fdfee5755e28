"""The MNIST network on the images in DATA. Arguments: as for training."""

EXAMPLES = 12800
x, y = (torch.tensor(a).to(DEVICE) for a in mnist(DATA, EXAMPLES))
net = torch.nn.Sequential(
    torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Dropout(0.2),
    torch.nn.Linear(128, 128), torch.nn.ReLU(), torch.nn.Dropout(0.2),
    torch.nn.Linear(128, 10),
).to(DEVICE)  # fmt: skip
serve(training(net, x, y, torch.optim.Adagrad(net.parameters(), lr=0.01, eps=1e-8), ARGUMENTS), EXAMPLES)
