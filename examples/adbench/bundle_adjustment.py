"""Bundle adjustment: where cameras see points, beside where they were observed.

A residual depends on one camera, one point and one weight, so the gradient of the sum of all residuals
in what they read has the blocks of the Jacobian side by side.
"""

import tensorflow as tf


def residuals(camera, point, weight, seen):
    """Two numbers for each observation, of the camera, the point and the weight that it is about."""
    rotation, centre, focal = camera[:, 0:3], camera[:, 3:6], camera[:, 6:7]
    middle, distortion = camera[:, 7:9], camera[:, 9:11]
    moved = rotated(rotation, point - centre)
    flat = moved[:, 0:2] / moved[:, 2:3]
    square = tf.reduce_sum(flat**2, 1, keepdims=True)
    bent = flat * (1.0 + square * (distortion[:, 0:1] + square * distortion[:, 1:2]))
    return weight[:, None] * (bent * focal + middle - seen), 1.0 - weight**2


def rotated(rotation, x):
    """Rodrigues' formula, of an axis whose length is the angle."""
    square = tf.reduce_sum(rotation**2, 1, keepdims=True)
    angle = tf.sqrt(square)
    axis = rotation / angle
    along = tf.reduce_sum(axis * x, 1, keepdims=True)
    cosine = tf.cos(angle)
    return x * cosine + tf.linalg.cross(axis, x) * tf.sin(angle) + axis * along * (1.0 - cosine)


def derivative(cameras, points, weights, of_camera, of_point, seen):
    """The residuals and their Jacobian: a block for each observation."""
    sources = [tf.gather(cameras, of_camera), tf.gather(points, of_point), weights]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(sources)
        errors, penalty = residuals(*sources, seen)
        sums = [tf.reduce_sum(errors[:, 0]), tf.reduce_sum(errors[:, 1])]
        all_penalties = tf.reduce_sum(penalty)
    rows = [g for y in sums for g in tape.gradient(y, sources)]
    return errors, penalty, *rows, tape.gradient(all_penalties, weights)
