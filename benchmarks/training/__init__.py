"""A step of `wengert train cifar10` beside the same network in TensorFlow's graph; and what a whole run comes to."""
