"""tensorflow.python.eager.test: tests that run eagerly."""

from wengert.test import TestCase as TestCase
from wengert.test import main as main
