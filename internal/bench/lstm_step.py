"""The LSTM for IMDB on random words. Arguments: the size of the embedding, and the
arguments of training."""

from torch import nn

WORDS, LENGTH, HIDDEN, EXAMPLES = 5000, 400, 512, 2 * BATCH


class Last(nn.LSTM):
    def forward(self, x):
        return super().forward(x)[1][0][0]


dim = int(ARGUMENTS[0])
net = nn.Sequential(
    nn.Embedding(WORDS, dim), Last(dim, HIDDEN, batch_first=True),
    nn.Linear(HIDDEN, HIDDEN), nn.ReLU(), nn.Dropout(0.5), nn.Linear(HIDDEN, 2),
).to(DEVICE)  # fmt: skip
x = torch.randint(0, WORDS, (EXAMPLES, LENGTH), device=DEVICE)
y = torch.randint(0, 2, (EXAMPLES,), device=DEVICE)
serve(training(net, x, y, torch.optim.Adagrad(net.parameters(), lr=0.01, eps=1e-8), ARGUMENTS), EXAMPLES)
