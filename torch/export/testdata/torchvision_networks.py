"""Writes networks of torchvision, and what PyTorch computes with them, to a folder:
the long test of torch/export. torch 2.11, torchvision, safetensors."""

import sys
import warnings

import torch
import torch.nn.functional as F
import torchvision.models as models
from safetensors.torch import save_file

warnings.filterwarnings("ignore")

# Name, arguments, side of the images, SGD steps to compare: none where the network
# draws at random.
NETWORKS = [
    ("resnet18", {}, 32, 20),
    ("vit_b_16", {"image_size": 32}, 32, 2),
    ("densenet121", {}, 32, 3),
    ("convnext_tiny", {}, 32, 0),
    ("convnext_tiny", {"stochastic_depth_prob": 0.0}, 32, 2),
    ("mobilenet_v3_large", {}, 32, 0),
    ("efficientnet_b0", {}, 32, 0),
    ("efficientnet_b0", {"stochastic_depth_prob": 0.0, "dropout": 0.0}, 32, 2),
]


def main(folder):
    batch = torch.export.Dim("batch")
    for i, (name, arguments, side, steps) in enumerate(NETWORKS):
        torch.manual_seed(i)
        model = getattr(models, name)(num_classes=10, **arguments).train()
        x, y = torch.randn(16, 3, side, side), torch.randint(0, 10, (16,))
        program = torch.export.export(model, (x,), dynamic_shapes=({0: batch},))
        path = f"{folder}/{i}-{name}"
        torch.export.save(program, path + ".pt2")
        out = {"x": x, "y": y, "eval": model.eval()(x).detach()}
        model.train().to(memory_format=torch.channels_last)  # the layout in which losscorr trains it
        images = x.to(memory_format=torch.channels_last)
        optimizer, losses = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9), []
        for _ in range(steps):
            loss = F.cross_entropy(model(images), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        out["losses"] = torch.stack(losses) if losses else torch.zeros(0)
        save_file(out, path + ".safetensors")
        print(name, len(program.graph.nodes), "nodes")


main(sys.argv[1])
