"""tensorflow.python.framework.combinations: tests that run for each combination of arguments."""

from wengert.testing.combinations import NamedObject as NamedObject
from wengert.testing.combinations import combine as combine
from wengert.testing.combinations import generate as generate
from wengert.testing.combinations import times as times
