"""The MNIST network in JAX, on one CPU thread, with the steps of a run in one compiled
scan."""

import os

if DEVICE.type != "cpu":
    raise RuntimeError("JAX is measured only on the CPU")
os.environ["NPROC"] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
import jax
from jax import lax
from jax import numpy as jnp

EXAMPLES, WIDTHS, DROPOUT, RATE, EPSILON = 12800, (784, 128, 128, 10), 0.2, 0.01, 1e-8
x, y = (jnp.asarray(a) for a in mnist(DATA, EXAMPLES))


def initial(key):
    keys = jax.random.split(key, len(WIDTHS) - 1)
    return [(jax.random.normal(k, (i, o)) * (2 / i) ** 0.5, jnp.zeros(o)) for k, i, o in zip(keys, WIDTHS, WIDTHS[1:])]


def loss(layers, key, rows):
    h = x[rows]
    for weights, bias in layers[:-1]:
        key, own = jax.random.split(key)
        h = jax.nn.relu(h @ weights + bias)
        h = jnp.where(jax.random.bernoulli(own, 1 - DROPOUT, h.shape), h / (1 - DROPOUT), 0)
    weights, bias = layers[-1]
    log_p = jax.nn.log_softmax(h @ weights + bias)
    return -jnp.take_along_axis(log_p, y[rows][:, None], 1).mean()


def step(state, rows):
    layers, squares, key = state
    key, own = jax.random.split(key)
    slopes = jax.grad(loss)(layers, own, rows)
    squares = jax.tree.map(lambda s, g: s + g * g, squares, slopes)
    layers = jax.tree.map(lambda p, s, g: p - RATE * g / (jnp.sqrt(s) + EPSILON), layers, squares, slopes)
    return (layers, squares, key), None


layers = initial(jax.random.key(1))
state = (layers, jax.tree.map(jnp.zeros_like, layers), jax.random.key(2))
scan = jax.jit(lambda state, rows: lax.scan(step, state, rows)[0], donate_argnums=0)


def run(steps):
    global state
    order = np.random.default_rng(steps).permutation(EXAMPLES)
    rows = jnp.asarray(order[np.arange(steps * BATCH) % EXAMPLES].reshape(steps, BATCH))
    begun = time.perf_counter()
    state = jax.block_until_ready(scan(state, rows))
    return time.perf_counter() - begun


run(1)  # fails if it cannot be compiled
served.append(run)
