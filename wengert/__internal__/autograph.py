"""tf.__internal__.autograph: conversion of Python's control flow, as libraries ask for it."""

from wengert.compat.internals.autograph.core.ag_ctx import control_status_ctx as control_status_ctx
from wengert.compat.internals.autograph.impl.api import tf_convert as tf_convert
