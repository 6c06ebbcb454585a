"""tensorflow.python.data.ops.test_mode: a switch of TensorFlow's runtime that changes nothing here."""

TEST_MODE = False


def toggle_test_mode(test_mode: bool) -> None:
    """Remember whether tests run."""
    globals()["TEST_MODE"] = test_mode
