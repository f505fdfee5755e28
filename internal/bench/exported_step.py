"""Networks exported for losscorr and trained eagerly here. Arguments: the network, and
channels_last, or a file to export the network to instead of training it."""

from torch import nn


class Text(nn.Module):
    """A transformer over 64 of 5000 words."""

    def __init__(self, dim=64):
        super().__init__()
        self.words = nn.Embedding(5000, dim)
        layer = nn.TransformerEncoderLayer(dim, 4, 2 * dim, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(dim, 10)

    def forward(self, x):
        return self.head(self.encoder(self.words(x)).mean(1))


class ViT(nn.Module):
    """A vision transformer over 64 patches of 4 x 4."""

    def __init__(self, dim=64):
        super().__init__()
        self.patches = nn.Conv2d(3, dim, 4, stride=4)
        self.positions = nn.Parameter(torch.zeros(1, 64, dim))
        layer = nn.TransformerEncoderLayer(dim, 4, 4 * dim, dropout=0.1, activation="gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
        self.head = nn.Linear(dim, 10)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2) + self.positions
        return self.head(self.encoder(x).mean(1))


def resnet18():
    import torchvision

    return torchvision.models.resnet18(num_classes=10)


EXAMPLES = 2 * BATCH
make = {"resnet18": resnet18, "vit": ViT, "text": Text}[ARGUMENTS[0]]
net = make().train()
x = torch.randint(0, 5000, (EXAMPLES, 64)) if make is Text else torch.randn(EXAMPLES, 3, 32, 32)
if len(ARGUMENTS) > 1 and ARGUMENTS[1] != "channels_last":
    program = torch.export.export(net, (x[:2],), dynamic_shapes=({0: torch.export.Dim("batch")},))
    torch.export.save(program, ARGUMENTS[1])
else:
    if len(ARGUMENTS) > 1:
        net, x = net.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    net, x, y = net.to(DEVICE), x.to(DEVICE), torch.randint(0, 10, (EXAMPLES,), device=DEVICE)
    serve(training(net, x, y, torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)), EXAMPLES)
