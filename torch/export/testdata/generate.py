"""Writes the networks of export_test.go and what PyTorch computes with them.

    python3 generate.py            # torch 2.11.0, numpy, safetensors: all files
    python3 generate.py release    # one small network: release-VERSION.pt2, with any torch
"""

import os
import re
import sys
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F

warnings.filterwarnings("ignore")
BATCH = torch.export.Dim("batch")
STEPS, RATE, MOMENTUM = 20, 0.01, 0.9


class Conv(nn.Module):
    """A convolutional network with batch norm; dropout before the last layer."""

    def __init__(self, p):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(4)
        self.conv2 = nn.Conv2d(4, 8, 3, stride=2)
        self.bn2 = nn.BatchNorm2d(8)
        self.drop = nn.Dropout(p)
        self.fc = nn.Linear(8 * 3 * 3, 4)
        self.register_buffer("scale", torch.tensor(2.0), persistent=False)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)), inplace=True)
        x = F.relu(self.bn2(self.conv2(x))) * self.scale + torch.tensor([1.0])
        return self.fc(self.drop(x.flatten(1)))


class Shortcut(nn.Module):
    """A block with a strided shortcut of one element, on few channels."""

    def __init__(self, p):
        super().__init__()
        self.shortcut = nn.Conv2d(4, 6, 1, stride=2, bias=False)
        self.conv = nn.Conv2d(4, 6, 3, stride=2, padding=1)
        self.drop = nn.Dropout(p)
        self.fc = nn.Linear(6, 3)

    def forward(self, x):
        x = F.relu(self.conv(x) + self.shortcut(x))
        return self.fc(self.drop(x.mean((2, 3))))


class Views(nn.Module):
    """Tensors that share a storage, each a part of its own or none, and a batch norm without running moments."""

    def __init__(self, p):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 2)
        self.bn = nn.BatchNorm2d(4, track_running_stats=False)
        rows, columns = torch.randn(4, 4), torch.randn(4, 8)
        self.q, self.k = nn.Parameter(rows[:2]), nn.Parameter(rows[2:])
        self.left, self.right = nn.Parameter(columns[:, :4]), nn.Parameter(columns[:, 4:])
        cos, sin = torch.linspace(-1, 1, 8).reshape(1, 8).chunk(2, 1)
        self.register_buffer("cos", cos)
        self.register_buffer("sin", sin)
        self.register_buffer("none", torch.zeros(0))
        self.register_buffer("no_rows", torch.zeros(0, 3))
        self.drop = nn.Dropout(p)

    def forward(self, x):
        x = self.bn(self.conv(x)).mean((2, 3)) * self.cos + self.sin + self.none.sum() + self.no_rows.sum()
        x = F.relu(x @ self.left) + F.relu(x @ self.right)
        return (self.drop(x) @ self.q.t()) * (x @ self.k.t())


class ViT(nn.Module):
    """A vision transformer: patches, a class token, positions, one block."""

    def __init__(self, p, dim=16):
        super().__init__()
        self.patches = nn.Conv2d(3, dim, 4, stride=4)
        self.token = nn.Parameter(torch.randn(1, 1, dim) * 0.02)
        self.positions = nn.Parameter(torch.randn(1, 17, dim) * 0.02)
        layer = nn.TransformerEncoderLayer(dim, 2, 2 * dim, dropout=p, activation="gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, 5)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.size(0), -1, -1), x], 1) + self.positions
        return self.head(self.norm(self.encoder(x)[:, 0]))


class Text(nn.Module):
    """A text classifier: word vectors, a transformer with a mask of padding, the mean of its words."""

    def __init__(self, p, dim=16):
        super().__init__()
        self.words = nn.Embedding(50, dim, padding_idx=0)
        self.positions = nn.Parameter(torch.randn(12, dim) * 0.1)
        layer = nn.TransformerEncoderLayer(dim, 2, 32, dropout=p, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.head = nn.Linear(dim, 2)

    def forward(self, x):
        padding = x == 0
        h = self.encoder(self.words(x) + self.positions, src_key_padding_mask=padding)
        kept = (~padding).unsqueeze(-1).to(h.dtype)
        return self.head((h * kept).sum(1) / kept.sum(1).clamp(min=1))


class Zoo(nn.Module):
    """Operations and kinds of arguments that the others lack: draws of all sorts, lists of tensors, sizes."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 4, num_layers=1, batch_first=True)
        self.instance = nn.InstanceNorm1d(4, affine=True, track_running_stats=True)
        self.group = nn.GroupNorm(2, 4)
        self.scale = nn.Parameter(torch.tensor(0.5))
        self.tied = nn.Linear(4, 4)
        self.again = nn.Linear(4, 4)
        self.again.weight = self.tied.weight
        self.frozen = nn.Linear(4, 4)
        self.frozen.requires_grad_(False)
        self.fc = nn.Linear(8, 3)

    def depth(self, x, keep=0.75):
        if not self.training:
            return x
        noise = torch.empty(x.size(0), 1, 1, dtype=x.dtype, device=x.device).bernoulli_(keep)
        return x * noise.div_(keep)

    def forward(self, x):
        n, t, _ = x.shape
        x = self.lstm(x)[0]
        a, b = x.split([1, 3], dim=2)
        x = torch.cat([b, a], dim=-1)
        x = x + self.depth(x)
        x = F.alpha_dropout(x, 0.2, self.training)
        x = F.dropout1d(x, 0.3, self.training)
        if self.training:
            x = x + torch.randn_like(x) * 0.01
            x = x * (1 + (torch.rand(n, 1, 1) - 0.5) * 0.1)
        x = self.group(self.instance(x.transpose(1, 2)))
        x = self.again(torch.tanh(self.tied(x.transpose(1, 2))))
        x = F.rrelu(self.frozen(x), training=self.training) * self.scale
        x = x.reshape(n * t, 4).view(n, t, 4)
        mean, (most, _) = x.mean(1), x.max(1)
        x = torch.cat([F.dropout(mean, 0.1, self.training), most], 1)
        mask = torch.arange(n).unsqueeze(1) < 0
        return self.fc(x).masked_fill(mask, float("-inf"))


def export(model, x, name, dims=None, functional=False):
    program = torch.export.export(model, (x,), dynamic_shapes=(dims or {0: BATCH},))
    save(program.run_decompositions() if functional else program, name)


def save(program, name):
    graphs = [m.graph for m in program.graph_module.modules() if isinstance(m, torch.fx.GraphModule)]
    for node in (n for g in graphs for n in g.nodes):  # the folders of the machine that runs this
        trace = node.meta.get("stack_trace") or ""
        own = [line for line in re.findall(r'File ".*', trace) if os.path.dirname(torch.__file__) not in line]
        node.meta["stack_trace"] = re.sub(r'File ".*/', 'File "', own[-1]) if own else None
    torch.export.save(program, name)
    assert os.path.dirname(os.path.dirname(torch.__file__)).encode() not in open(name, "rb").read()


def golden(name, make, x, classes):
    """The network without dropout, its logits and its losses over SGD steps."""
    from safetensors.torch import save_file

    torch.manual_seed(1)
    y = torch.arange(len(x)) % classes
    model = make(0.0).train()
    export(model, x, f"{name}.pt2")
    if name in ("conv", "views"):  # the other form: buffers are outputs, and dropout and batch norm other operations
        export(model, x, f"{name}-functional.pt2", functional=True)
    out = {"x": x, "y": y, "eval": model.eval()(x).detach()}
    model.train()
    steps = torch.optim.SGD(model.parameters(), lr=RATE, momentum=MOMENTUM)
    losses = []
    for _ in range(STEPS):
        loss = F.cross_entropy(model(x), y)
        steps.zero_grad()
        loss.backward()
        steps.step()
        losses.append(loss.detach())
    out["losses"] = torch.stack(losses)
    out["trained"] = model.eval()(x).detach()
    save_file(out, f"{name}.safetensors")
    torch.manual_seed(1)
    export(make(0.25).train(), x, f"{name}-dropout.pt2")


def zoo():
    from safetensors.torch import save_file

    torch.manual_seed(2)
    model, x = Zoo().train(), torch.randn(4, 5, 6)
    export(model, x, "zoo.pt2")
    save_file({"x": x, "eval": model.eval()(x).detach()}, "zoo.safetensors")


class Digits(nn.Module):
    """For MNIST: examples [N 1 28 28]."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 5, stride=4)
        self.bn = nn.BatchNorm2d(4)
        self.drop = nn.Dropout(0.2)
        self.fc = nn.Linear(4 * 6 * 6, 10)

    def forward(self, x):
        return self.fc(self.drop(F.relu(self.bn(self.conv(x))).flatten(1)))


class Reviews(nn.Module):
    """For IMDB: word numbers [N T], any T; one layer of a transformer."""

    def __init__(self, dim=4):
        super().__init__()
        self.words = nn.Embedding(5000, dim)
        self.encoder = nn.TransformerEncoderLayer(dim, 1, 8, dropout=0.1, batch_first=True)
        self.head = nn.Linear(dim, 2)

    def forward(self, x):
        return self.head(self.encoder(self.words(x)).mean(1))


class Images(nn.Module):
    """For CIFAR-10, in crops of 24: examples [N 3 24 24], with stochastic depth."""

    def __init__(self, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 4, stride=4)
        self.norm = nn.GroupNorm(2, 8)
        self.conv = nn.Conv2d(8, 8, 3, padding=1)
        self.fc = nn.Linear(8, classes)

    def forward(self, x):
        x = self.norm(self.stem(x))
        noise = torch.empty(x.size(0), 1, 1, 1, device=x.device).bernoulli_(0.8).div_(0.8)
        x = x + F.silu(self.conv(x)) * noise
        return self.fc(x.mean((2, 3)))


def datasets():
    torch.manual_seed(5)
    export(Digits().train(), torch.randn(4, 1, 28, 28), "mnist.pt2")
    export(Images().train(), torch.randn(4, 3, 24, 24), "cifar10.pt2")
    length = torch.export.Dim("length")
    export(Reviews().train(), torch.randint(0, 5000, (4, 9)), "imdb.pt2", {0: BATCH, 1: length})
    export(Images(3).train(), torch.randn(4, 3, 24, 24), "clothes.pt2")  # for three classes of Clothing1M


def refused():
    """Networks that load with a warning, or not at all."""
    torch.manual_seed(3)
    x = torch.randn(4, 6)
    net = nn.Sequential(nn.Linear(6, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Linear(4, 2))
    export(net.eval(), x, "evaluation.pt2")
    net.train()
    save(torch.export.export(net, (x,)), "fixed.pt2")
    dims = ({0: BATCH}, {0: BATCH})
    save(torch.export.export(nn.Bilinear(6, 6, 2), (x, x), dynamic_shapes=dims), "two-inputs.pt2")

    class Net(nn.Module):
        def __init__(self, f):
            super().__init__()
            self.fc, self.f = nn.Linear(6, 2), f

        def forward(self, x):
            return self.f(self.fc(x))

    class Transposed(nn.Module):
        def __init__(self):
            super().__init__()
            self.there = nn.Parameter(torch.randn(2, 6))
            self.back = nn.Parameter(self.there.data.t())

        def forward(self, x):
            return x @ self.there.t() @ self.back.t() @ self.there.t()

    export(Transposed(), x, "transposed.pt2")
    export(Net(lambda x: (x, x + 1)), x, "two-outputs.pt2")
    export(Net(lambda x: x[torch.randperm(x.size(0))]), x, "draws.pt2")
    export(Net(lambda x: torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))), x, "control-flow.pt2")


def main():
    if sys.argv[1:] == ["release"]:
        torch.manual_seed(4)
        x = torch.randn(4, 1, 8, 8)
        export(Conv(0.25).train(), x, f"release-{torch.__version__.split('+')[0]}.pt2")
        return
    assert torch.__version__.startswith("2.11.0"), torch.__version__
    g = torch.Generator().manual_seed(0)
    golden("conv", Conv, torch.randn(8, 1, 8, 8, generator=g), 4)
    golden("vit", ViT, torch.randn(8, 3, 16, 16, generator=g), 5)
    words = torch.randint(1, 50, (8, 12), generator=g)
    words[torch.arange(12) >= torch.tensor([[12], [3], [8], [5], [12], [1], [7], [10]])] = 0
    golden("text", Text, words, 2)
    golden("shortcut", Shortcut, torch.randn(8, 4, 8, 8, generator=torch.Generator().manual_seed(6)), 3)
    golden("views", Views, torch.randn(8, 1, 3, 3, generator=torch.Generator().manual_seed(7)), 2)
    zoo()
    datasets()
    refused()


if __name__ == "__main__":
    main()
