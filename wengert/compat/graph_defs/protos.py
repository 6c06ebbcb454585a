"""TensorFlow's messages: see formats/protos.py."""

from wengert.formats.protos import enum as enum
from wengert.formats.protos import message as message
from wengert.formats.protos import names as names
