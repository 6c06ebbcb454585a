"""tensorflow.python.data.kernel_tests.test_base: the base of tests of datasets."""

from wengert.testing.combinations import MODE, VERSION, Combination, combine
from wengert.testing.dataset_cases import DatasetTestBase as DatasetTestBase


def default_test_combinations() -> list[Combination]:
    """Both versions and both modes."""
    return combine(**{VERSION: [1, 2], MODE: ["eager", "graph"]})


def eager_only_combinations() -> list[Combination]:
    """Both versions, eagerly."""
    return combine(**{VERSION: [1, 2], MODE: "eager"})


def graph_only_combinations() -> list[Combination]:
    """Both versions, in a graph."""
    return combine(**{VERSION: [1, 2], MODE: "graph"})


def v1_only_combinations() -> list[Combination]:
    """Version 1 in both modes."""
    return combine(**{VERSION: 1, MODE: ["eager", "graph"]})


def v2_only_combinations() -> list[Combination]:
    """Version 2 in both modes."""
    return combine(**{VERSION: 2, MODE: ["eager", "graph"]})


def v2_eager_only_combinations() -> list[Combination]:
    """Version 2, eagerly."""
    return combine(**{VERSION: 2, MODE: "eager"})
