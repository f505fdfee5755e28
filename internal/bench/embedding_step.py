"""The embedding network for IMDB, eagerly, on synthetic reviews: words by Zipf's law,
log-normal lengths, 200 words on average once cut, padded with zeros in front. Argument:
what dropout drops: channels, elements or words."""

from torch import nn
from torch.nn import functional

WORDS, LENGTH, DIM, EXAMPLES, P = 5000, 400, 50, 20 * BATCH, 0.8


def kept(*shape):
    return (torch.rand(shape, device=DEVICE) >= P).float().div_(1 - P)


class Network(nn.Module):
    def __init__(self, dropout_of):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, DIM)
        nn.init.uniform_(self.embedding.weight, -0.05, 0.05)
        self.dense = nn.Linear(LENGTH * DIM, 2)
        self.dropout_of = dropout_of

    def forward(self, ids):
        if self.dropout_of == "words":
            x = functional.embedding(ids, self.embedding.weight * kept(WORDS, 1))
        elif self.dropout_of == "channels":  # Dropout1d without its transposes
            x = self.embedding(ids) * kept(len(ids), 1, DIM)
        else:
            x = functional.dropout(self.embedding(ids), P)
        return self.dense(torch.relu(x).flatten(1))


rng = np.random.default_rng(1)
frequency = 1 / np.arange(1, WORDS - 2) ** 1.05
lengths = np.minimum(LENGTH, np.exp(rng.normal(5.15, 0.65, EXAMPLES))).astype(int)
x = torch.zeros(EXAMPLES, LENGTH, dtype=torch.int64)
for text, length in zip(x, lengths):
    text[LENGTH - length :] = torch.tensor(3 + rng.choice(WORDS - 3, length, p=frequency / frequency.sum()))
x, y = x.to(DEVICE), torch.randint(0, 2, (EXAMPLES,), device=DEVICE)
net = Network(ARGUMENTS[0]).to(DEVICE)
serve(training(net, x, y, torch.optim.Adagrad(net.parameters(), lr=0.01, eps=1e-8)), EXAMPLES)
