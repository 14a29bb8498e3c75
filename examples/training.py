"""Training a small convolutional network with Adam: one compiled step, called for each batch.

The one idea: a step is a function of parameters, moments and a batch to new ones, so that its loss, gradients and
updates are one program.  The pictures show a bar at one of four angles, in noise.  Run `python examples/training.py`.
"""

# ruff: noqa: T201  (what is found is printed)

from __future__ import annotations

from math import prod

import weft
from weft import nn

SIDE, CLASSES, BATCH = 16, 4, 32
Parameters = dict[str, weft.Tensor]


def pictures(count: int, seed: int) -> tuple[weft.Tensor, weft.Tensor]:
    """Return pictures (count, 1, SIDE, SIDE), and the number of the angle of the bar in each."""
    label = weft.random.integers((count,), low=0, high=CLASSES, seed=seed)
    angle = weft.reshape(label, (-1, 1, 1, 1)) * (weft.pi / CLASSES)
    line = weft.arange(SIDE) - (SIDE - 1) / 2
    away = line[:, None] * weft.cos(angle) - line * weft.sin(angle)
    noise = weft.random.normal((count, 1, SIDE, SIDE), seed=seed + 1) * 0.5
    return weft.astype(weft.exp(-weft.square(away)) + noise, weft.float32), label


def parameters() -> Parameters:
    """Return random filters and weights, in the scale of their inputs."""
    shapes = {"first": (8, 1, 3, 3), "second": (16, 8, 3, 3), "last": (CLASSES, 16)}
    return {
        name: weft.random.normal(shape, seed=k, dtype=weft.float32) * (2 / prod(shape[1:])) ** 0.5
        for k, (name, shape) in enumerate(shapes.items())
    }


def logits(p: Parameters, x: weft.Tensor) -> weft.Tensor:
    x = nn.max_pool(nn.relu(nn.conv2d(x, p["first"], padding="same")), 2)
    x = nn.relu(nn.conv2d(x, p["second"], padding="same"))
    return nn.linear(weft.reshape(nn.adaptive_avg_pool(x, 1), (len(x), -1)), p["last"])


def loss(p: Parameters, x: weft.Tensor, y: weft.Tensor) -> weft.Tensor:
    return nn.cross_entropy(logits(p, x), y)


@weft.compile
def step(
    p: Parameters, mean: Parameters, square: Parameters, t: float, x: weft.Tensor, y: weft.Tensor
) -> tuple[weft.Tensor, Parameters, Parameters, Parameters]:
    """Return the loss of a batch, and the parameters and moments after step t, counted from 1, of Adam."""
    value, slope = weft.value_and_grad(loss)(p, x, y)
    mean = {k: 0.9 * mean[k] + 0.1 * slope[k] for k in p}
    square = {k: 0.999 * square[k] + 0.001 * weft.square(slope[k]) for k in p}
    rate, scale = 0.01 / (1 - 0.9**t), 1 / (1 - 0.999**t)
    return value, {k: p[k] - rate * mean[k] / (weft.sqrt(scale * square[k]) + 1e-8) for k in p}, mean, square


def main(steps: int = 150) -> tuple[list[float], float]:
    """Return the losses of all steps, and the share of new pictures that are told rightly afterwards."""
    x, y = (t.realize() for t in pictures(512, 10))
    p = parameters()
    mean = square = {k: weft.zeros_like(v) for k, v in p.items()}
    losses = []
    for t in range(1, steps + 1):
        batch = weft.random.integers((BATCH,), low=0, high=len(x), seed=t)
        value, p, mean, square = step(p, mean, square, float(t), weft.take(x, batch, axis=0), weft.take(y, batch))
        losses.append(value.item())
    new, right = pictures(256, 20)
    return losses, weft.mean(weft.argmax(logits(p, new), axis=1) == right, dtype=weft.float64).item()


if __name__ == "__main__":
    losses, share = main()
    print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}; {share:.1%} of new pictures are told rightly")
