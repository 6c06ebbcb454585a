"""Hand tracking: the distances of measured points from the skin of a hand with 26 parameters."""

import numpy as np
import tensorflow as tf
from inputs import BONES, FINGERS, JOINTS, PARAMETERS, parents


def residuals(theta, base, inverse, corners, weights, points):
    """Three numbers for each point."""
    turned = rotations(angles(theta))
    absolute = []
    for bone, parent in enumerate(parents()):
        own = tf.matmul(base[bone], turned[bone])
        absolute.append(own if parent < 0 else tf.matmul(absolute[parent], own))
    transforms = tf.matmul(tf.stack(absolute), inverse)
    skin = tf.reduce_sum(tf.matmul(transforms, corners)[:, :3] * weights[:, None, :], 0)
    placed = tf.matmul(rotation(theta[0:3]), skin) + theta[3:6, None]
    return points - placed


def angles(theta):
    """Three angles for each bone: a finger's first bone has two of them, its next two have one."""
    zero = tf.zeros([3], theta.dtype)
    rows = [zero]
    for finger in range(FINGERS):
        a = theta[6 + 4 * finger : 10 + 4 * finger]
        none = zero[0]
        rows += [tf.stack([a[0], a[1], none])] + [tf.stack([a[j], none, none]) for j in (2, 3)]
        rows += [zero] * (JOINTS - 3)
    rows += [zero] * (BONES - len(rows))
    return tf.stack(rows)


def rotations(a):
    """Around x, then around y, then around z, as matrices of four rows."""
    s, c = tf.sin(a), tf.cos(a)
    o, i = tf.zeros_like(s[:, 0]), tf.ones_like(s[:, 0])

    def matrix(*numbers):
        return tf.reshape(tf.stack(numbers, -1), [-1, 4, 4])

    x = matrix(i, o, o, o, o, c[:, 0], -s[:, 0], o, o, s[:, 0], c[:, 0], o, o, o, o, i)
    y = matrix(c[:, 1], o, s[:, 1], o, o, i, o, o, -s[:, 1], o, c[:, 1], o, o, o, o, i)
    z = matrix(c[:, 2], -s[:, 2], o, o, s[:, 2], c[:, 2], o, o, o, o, i, o, o, o, o, i)
    return tf.matmul(z, tf.matmul(y, x))


def rotation(axis):
    """Rodrigues' formula as a matrix."""
    angle = tf.sqrt(tf.reduce_sum(axis**2))
    x, y, z = tf.unstack(axis / angle)
    o = tf.zeros_like(x)
    cross = tf.reshape(tf.stack([o, -z, y, z, o, -x, -y, x, o]), [3, 3])
    square = tf.matmul(cross, cross)
    return tf.eye(3, dtype=axis.dtype) + tf.sin(angle) * cross + (1.0 - tf.cos(angle)) * square


def derivative(theta, *rest):
    """The residuals and their Jacobian: forward mode in the direction of each parameter."""

    def along(direction):
        with tf.autodiff.ForwardAccumulator(theta, direction) as forward:
            found = residuals(theta, *rest)
        return found, forward.jvp(found)

    found, columns = tf.vectorized_map(along, tf.eye(PARAMETERS, dtype=theta.dtype))
    return found[0], tf.transpose(columns, [1, 2, 0])


def derivative_by_columns(theta, *rest):
    """The same, a column of the Jacobian after the other."""
    columns = []
    for direction in np.eye(PARAMETERS):
        with tf.autodiff.ForwardAccumulator(theta, tf.constant(direction)) as forward:
            found = residuals(theta, *rest)
        columns.append(forward.jvp(found))
    return found, tf.stack(columns, -1)
