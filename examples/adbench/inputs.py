"""Inputs of the objectives, drawn by a seed: NumPy's arrays, whatever library computes with them."""

import math

import numpy as np

# ---- Gaussian mixture ------------------------------------------------------------------------

GAMMA, M = 1.0, 0  # parameters of the Wishart prior


def gaussian_mixture(dimensions=10, components=25, points=1000, seed=0):
    """Logits of the weights, means, factors of the inverse covariances, points."""
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=components),
        rng.random((components, dimensions)),
        rng.normal(size=(components, dimensions * (dimensions + 1) // 2)),
        rng.random((points, dimensions)),
    )


def wishart_constant(dimensions):
    degrees = dimensions + M + 1
    gammas = [math.lgamma((degrees - i) / 2) for i in range(dimensions)]
    log_gamma = dimensions * (dimensions - 1) / 4 * math.log(math.pi) + sum(gammas)
    return degrees * dimensions * math.log(GAMMA / math.sqrt(2)) - log_gamma


# ---- bundle adjustment -----------------------------------------------------------------------

CAMERA = 11  # rotation 3, centre 3, focal length 1, principal point 2, distortion 2


def bundle_adjustment(cameras=49, points=7776, observations=31843, seed=0):
    """Cameras, points, weights, and for each observation its camera, its point, and where it is."""
    rng = np.random.default_rng(seed)
    camera = rng.normal(size=(cameras, CAMERA)) * 0.1
    camera[:, 5] -= 5.0
    camera[:, 6] += 1.0
    return (
        camera,
        rng.normal(size=(points, 3)),
        rng.random(observations),
        rng.integers(0, cameras, observations).astype(np.int32),
        rng.integers(0, points, observations).astype(np.int32),
        rng.normal(size=(observations, 2)),
    )


# ---- hand tracking ---------------------------------------------------------------------------

FINGERS, JOINTS = 5, 4  # the last joint of each finger is its tip, which does not bend
BONES = 1 + FINGERS * JOINTS + 1  # the wrist first, the forearm last
PARAMETERS = 6 + FINGERS * 4  # rotation and translation of the hand; 2, 1 and 1 angles a finger


def parents():
    """For each bone the one that it hangs on."""
    found = [-1]
    for finger in range(FINGERS):
        first = 1 + finger * JOINTS
        found += [0, first, first + 1, first + 2]
    return [*found, 0]


def hand_tracking(vertices=544, points=200, seed=0):
    """Parameters, base transformations, inverse absolute ones, vertices, weights, points."""
    rng = np.random.default_rng(seed)
    base = np.tile(np.eye(4), (BONES, 1, 1))
    base[:, :3, 3] = rng.normal(size=(BONES, 3))
    absolute = []
    for parent, own in zip(parents(), base):
        absolute.append(own if parent < 0 else absolute[parent] @ own)
    weights = rng.random((BONES, vertices)) ** 8
    corners = np.concatenate([rng.normal(size=(3, vertices)), np.ones((1, vertices))])
    chosen = rng.integers(0, vertices, points)
    return (
        rng.normal(size=PARAMETERS) * 0.3,
        base,
        np.linalg.inv(np.stack(absolute)),
        corners[:, chosen],
        (weights / weights.sum(0))[:, chosen],
        rng.normal(size=(3, points)),
    )


# ---- language model --------------------------------------------------------------------------


def language_model(layers=2, characters=128, size=14, seed=0):
    """Weights of the layers, weights of input and output, the first state, one-hot characters."""
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=(2 * layers, 4 * size)) * 0.5,
        rng.normal(size=(3, size)) * 0.5,
        rng.normal(size=(2 * layers, size)) * 0.5,
        np.eye(size)[rng.integers(0, size, characters)],
    )
