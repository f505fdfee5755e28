"""Writes what PyTorch computes for the networks of models_test.go: logits,
gradients and running moments, one file a network, float64.

    python generate.py        (the files are from torch 2.11.0, safetensors 0.8)

Weights and inputs are not stored. Element i of the tensor called NAME is made,
here and in the test, from a hash of i and of NAME's CRC-32. Of each gradient
and buffer the files hold the 2-norm and 16 elements, evenly spaced: rows in the
order of the sorted names.

The values under "steady" are for the comparison in float32: there rounding
would push a few of the many rectified units over the kink, and single elements
of the gradient by a tenth. So batch norms shift by 5 sigma or more, up or down,
and no unit is near it.
"""

import pathlib
import zlib

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import nn

torch.set_default_dtype(torch.float64)
here = pathlib.Path(__file__).parent
SAMPLES = 16


def unit(name, n):
    """Numbers in [-1, 1): the finaliser of SplitMix64 over a counter."""
    with np.errstate(over="ignore"):
        z = (np.arange(n, dtype=np.uint64) + (np.uint64(zlib.crc32(name.encode())) << np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return torch.tensor((z >> np.uint64(11)).astype(np.float64) / 2**52 - 1)


def norm(name):
    return "bn" in name or "downsample.1" in name


def fill(net, steady):
    with torch.no_grad():
        for name, t in net.state_dict().items():
            if name.endswith("num_batches_tracked"):
                continue
            v = unit(name, t.numel()).reshape(t.shape)
            if name.endswith("running_var") or (t.dim() == 1 and name.endswith("weight")):
                v = 1 + v / 4
                if steady and name.endswith("weight"):
                    v = v / 2
            elif steady and norm(name) and name.endswith("bias"):
                # Behind these the residual sum comes before the ReLU.
                up = (v > 0) | ("bn3" in name) | ("downsample" in name)
                v = torch.where(up, 3 + v.abs(), -3 - v.abs())
            elif t.dim() == 1:
                v = v / 10
            else:
                v = v * (6 / t[0].numel()) ** 0.5
            t.copy_(v)


def rows(named):
    """Norms [K] and samples [K SAMPLES], in the order of names."""
    flat = [t.detach().flatten() for _, t in sorted(named)]
    at = [[j * len(t) // SAMPLES for j in range(SAMPLES)] for t in flat]
    return torch.stack([t.norm() for t in flat]), torch.stack([t[i] for t, i in zip(flat, at, strict=True)])


def golden(name, make, x, classes):
    out = {}
    for mode in ("train", "eval", "steady"):
        net = make()
        fill(net, mode == "steady")
        net.train(mode != "eval")
        if x.is_floating_point():
            x = x.detach().requires_grad_()
        logits = net(x)
        F.cross_entropy(logits, torch.arange(len(x)) % classes).backward()
        grads = [(k, p.grad) for k, p in net.named_parameters()]
        if x.is_floating_point():
            grads.append(("x", x.grad))
        out[mode + ".logits"] = logits.detach()
        out[mode + ".grad.norms"], out[mode + ".grad.samples"] = rows(grads)
        buffers = [(k, b) for k, b in net.named_buffers() if b.is_floating_point()]
        if mode == "train" and buffers:
            out["buffer.norms"], out["buffer.samples"] = rows(buffers)
        count = sum(p.numel() for p in net.parameters())
    save_file(out, here / f"{name}.safetensors", metadata={"torch": torch.__version__, "parameters": str(count)})


class Preactivation(nn.Module):
    def __init__(self, i, o, first):
        super().__init__()
        if not first:
            self.bn1 = nn.BatchNorm2d(i, eps=1e-3, momentum=0.01)
        self.conv1 = nn.Conv2d(i, o, 3, o // i, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(o, eps=1e-3, momentum=0.01)
        self.conv2 = nn.Conv2d(o, o, 3, 1, 1, bias=False)
        if i != o:
            self.shortcut = nn.Conv2d(i, o, 1, 2, bias=False)

    def forward(self, x):
        y = F.relu(self.bn1(x)) if hasattr(self, "bn1") else x
        y = self.conv2(F.relu(self.bn2(self.conv1(y))))
        return y + (self.shortcut(x) if hasattr(self, "shortcut") else x)


class ResNet(nn.Module):
    def __init__(self, depth, classes):
        super().__init__()
        n = (depth - 2) // 6
        self.conv1, self.bn1 = nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16, eps=1e-3, momentum=0.01)
        for stage, (i, o) in enumerate([(16, 16), (16, 32), (32, 64)]):
            blocks = [Preactivation(o if k else i, o, stage == 0 and k == 0) for k in range(n)]
            setattr(self, f"layer{stage + 1}", nn.Sequential(*blocks))
        self.bn2, self.fc = nn.BatchNorm2d(64, eps=1e-3, momentum=0.01), nn.Linear(64, classes)

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = self.layer3(self.layer2(self.layer1(y)))
        return self.fc(F.relu(self.bn2(y)).mean((2, 3)))


class Bottleneck(nn.Module):
    def __init__(self, i, width, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(i, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, 4 * width, 1, bias=False), nn.BatchNorm2d(4 * width)
        if stride != 1 or i != 4 * width:
            self.downsample = nn.Sequential(nn.Conv2d(i, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = self.bn3(self.conv3(F.relu(self.bn2(self.conv2(y)))))
        return F.relu(y + (self.downsample(x) if hasattr(self, "downsample") else x))


class ResNet50(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64)
        i = 64
        for stage, blocks in enumerate([3, 4, 6, 3]):
            layer = []
            for k in range(blocks):
                layer.append(Bottleneck(i, 64 << stage, 2 if stage and k == 0 else 1))
                i = 256 << stage
            setattr(self, f"layer{stage + 1}", nn.Sequential(*layer))
        self.fc = nn.Linear(i, classes)

    def forward(self, x):
        y = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 3, 2, 1)
        y = self.layer4(self.layer3(self.layer2(self.layer1(y))))
        return self.fc(y.mean((2, 3)))


class LSTM(nn.Module):
    def __init__(self, words, dim, hidden, one_bias):
        super().__init__()
        self.embedding, self.lstm = nn.Embedding(words, dim), nn.LSTM(dim, hidden, batch_first=True)
        self.dense, self.fc = nn.Linear(hidden, hidden), nn.Linear(hidden, 2)
        if one_bias:
            self.lstm.bias_hh_l0.requires_grad_(False)

    def forward(self, x):
        return self.fc(F.relu(self.dense(self.lstm(self.embedding(x))[0][:, -1])))


def images(n, size):
    return unit("x", n * 3 * size * size).reshape(n, 3, size, size)


golden("resnet14", lambda: ResNet(14, 10), images(4, 32), 10)
golden("resnet50", lambda: ResNet50(14), images(3, 64), 14)
words = ((unit("x", 5 * 40) + 1) / 2 * 90).long().reshape(5, 40)
golden("lstm", lambda: LSTM(90, 24, 32, False), words, 2)
