"""How is a small network trained?

The digits of a pocket calculator, shifted and noisy, are drawn here and told apart by a perceptron
with one hidden layer. The loss is drawn, too, if matplotlib is there: `wengert run digits.py loss.png`
says where to.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf
from rich.progress import track
from showing import show, title

# The seven segments, as (rows, columns) of a 7 x 4 picture, and which of them are lit.
SEGMENTS = {
    "top": (slice(0, 1), slice(0, 4)),
    "middle": (slice(3, 4), slice(0, 4)),
    "bottom": (slice(6, 7), slice(0, 4)),
    "upper left": (slice(0, 4), slice(0, 1)),
    "upper right": (slice(0, 4), slice(3, 4)),
    "lower left": (slice(3, 7), slice(0, 1)),
    "lower right": (slice(3, 7), slice(3, 4)),
}
LIT = ["1011111", "0000101", "1110110", "1110101", "0101101", "1111001", "1111011", "1000101"]
LIT += ["1111111", "1111101"]

rng = np.random.default_rng(0)


def draw(digit):
    """A digit at a random place of a 10 x 8 picture, with noise."""
    small = np.zeros((7, 4))
    for place, lit in zip(SEGMENTS.values(), LIT[digit]):
        if lit == "1":
            small[place] = 1.0
    picture = 0.2 * rng.normal(size=(10, 8))
    row, column = rng.integers(0, 4), rng.integers(0, 5)
    picture[row : row + 7, column : column + 4] += small
    return picture.ravel()


def examples(count):
    labels = rng.integers(0, 10, size=count)
    return np.array([draw(d) for d in labels], np.float32), labels.astype(np.int32)


def weights(rows, columns):
    return tf.Variable(rng.normal(size=(rows, columns), scale=rows**-0.5).astype(np.float32))


hidden, hidden_offset = weights(80, 128), tf.Variable(tf.zeros([128]))
out, out_offset = weights(128, 10), tf.Variable(tf.zeros([10]))
variables = [hidden, hidden_offset, out, out_offset]
optimizer = tf.optimizers.Adam(learning_rate=0.01)


def network(pictures):
    h = tf.nn.relu(tf.matmul(pictures, hidden) + hidden_offset)
    return tf.matmul(h, out) + out_offset


@tf.function
def train(pictures, labels):
    with tf.GradientTape() as tape:
        logits = network(pictures)
        each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        loss = tf.reduce_mean(each)
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return loss


title("How is a small network trained?")
picture = draw(5).reshape(10, 8)
for row in picture:
    print("   ", "".join("##" if v > 0.6 else "· " for v in row))

losses = []
for _ in track(range(600), "training"):
    losses.append(float(train(*map(tf.constant, examples(128)))))
print(f"loss at first {losses[0]:.3f}, at last {np.mean(losses[-20:]):.3f}")

pictures, labels = examples(1000)
predicted = np.argmax(network(tf.constant(pictures)), axis=1)
show("share of 1000 new digits that it reads", np.mean(predicted == labels), 1.0, within=0.05)

if hasattr(tf, "per_example_gradients"):  # which picture pulls hardest at the last layer?

    def loss_of_one(offset, features, label):
        logits = tf.linalg.matvec(out, features, transpose_a=True) + offset
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label, logits=logits)

    features = tf.nn.relu(tf.matmul(tf.constant(pictures), hidden) + hidden_offset)
    each = tf.per_example_gradients(loss_of_one)(out_offset, features, tf.constant(labels))
    hardest = int(np.argmax(np.linalg.norm(each, axis=1)))
    print(f"hardest of them: a {labels[hardest]}, read as {predicted[hardest]}")
    show("a gradient for each picture", list(each.shape), [1000, 10])

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    print("no loss curve: pip install matplotlib")
else:
    path = Path(sys.argv[1] if len(sys.argv) > 1 else Path(tempfile.gettempdir()) / "loss.png")
    figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
    axes.semilogy(losses, linewidth=1)
    axes.set(xlabel="step", ylabel="loss", title="A perceptron that learns to read digits")
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
    print(f"loss curve: {path}")
