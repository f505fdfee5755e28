"""Writes torchvision's ResNet-50 with drawn weights into a folder, for torchvision_test.go: weights.pth and old.pth
as torch.save writes them since version 1.6 and before, and features.safetensors with images x and their
features, of 224 x 224 pixels and of others.

    python resnet50.py FOLDER
"""

import pathlib
import sys

import torch
import torchvision
from safetensors.torch import save_file

torch.manual_seed(7)
folder = pathlib.Path(sys.argv[1])
net = torchvision.models.resnet50()
with torch.no_grad():
    for name, t in net.state_dict().items():  # norms that do something
        if name.endswith(("running_mean", "bias")):
            t.copy_(torch.randn_like(t) / 10)
        elif t.dim() == 1 and t.is_floating_point():
            t.copy_(1 + torch.rand_like(t) / 4)
torch.save(net.state_dict(), folder / "weights.pth")
torch.save(net.state_dict(), folder / "old.pth", _use_new_zipfile_serialization=False)
net.fc = torch.nn.Identity()
net.eval()
out = {}
with torch.no_grad():
    for height, width in ((224, 224), (96, 130)):
        x = torch.randn(2, 3, height, width)
        out[f"x{height}"], out[f"y{height}"] = x, net(x)
save_file(out, folder / "features.safetensors")
print(torch.__version__, torchvision.__version__, out["y224"].std())
