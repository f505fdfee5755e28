"""The network for CIFAR-10 on random images. Arguments: the memory format, and the
arguments of training."""

import torch.nn.functional as F
from torch import nn

CLASSES, EXAMPLES, BLOCKS = 10, 4 * BATCH, 5


def norm(channels):
    return nn.BatchNorm2d(channels, eps=1e-3, momentum=0.01)


class Block(nn.Module):
    def __init__(self, i, o, first):
        super().__init__()
        self.bn1 = None if first else norm(i)
        self.conv1, self.bn2 = nn.Conv2d(i, o, 3, o // i, 1, bias=False), norm(o)
        self.conv2 = nn.Conv2d(o, o, 3, 1, 1, bias=False)
        self.shortcut = nn.Conv2d(i, o, 1, 2, bias=False) if i != o else nn.Identity()

    def forward(self, x):
        y = x if self.bn1 is None else F.relu(self.bn1(x), inplace=True)
        return self.conv2(F.relu(self.bn2(self.conv1(y)), inplace=True)) + self.shortcut(x)


def blocks(i, o, first=False):
    return [Block(o if k else i, o, first and k == 0) for k in range(BLOCKS)]


layout = getattr(torch, ARGUMENTS[0])
net = nn.Sequential(
    nn.Conv2d(3, 16, 3, 1, 1, bias=False), norm(16), nn.ReLU(inplace=True),
    *blocks(16, 16, first=True), *blocks(16, 32), *blocks(32, 64),
    norm(64), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, CLASSES),
).to(DEVICE, memory_format=layout)  # fmt: skip
x = torch.randn(EXAMPLES, 3, 32, 32, device=DEVICE).to(memory_format=layout)
y = torch.randint(0, CLASSES, (EXAMPLES,), device=DEVICE)
decaying = [p for p in net.parameters() if p.dim() > 1]
rest = [p for p in net.parameters() if p.dim() == 1]
groups = [{"params": decaying, "weight_decay": 2e-4}, {"params": rest}]
serve(training(net, x, y, torch.optim.SGD(groups, lr=0.1, momentum=0.9), ARGUMENTS), EXAMPLES)
