"""What TensorBoard's own server answers about a folder: `python tensorboard_pages.py FOLDER PAGE...` prints it, as JSON.

A process of its own: the package brings warnings, and a stand-in for TensorFlow.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any


def server_of(folder: str) -> Any:
    """A client of the server that `tensorboard --logdir` runs, which has read the folder."""
    program, default, application, ingesting, werkzeug = map(
        importlib.import_module,
        (
            "tensorboard.program",
            "tensorboard.default",
            "tensorboard.backend.application",
            "tensorboard.backend.event_processing.data_ingester",
            "werkzeug.test",
        ),
    )
    board = program.TensorBoard(plugins=default.get_plugins())
    board.configure(argv=["tensorboard", "--logdir", folder, "--load_fast", "false"])
    ingester = ingesting.LocalDataIngester(board.flags)
    events = ingester.deprecated_multiplexer
    events.AddRunsFromDirectory(folder)
    events.Reload()
    return werkzeug.Client(
        application.TensorBoardWSGIApp(
            board.flags,
            board.plugin_loaders,
            ingester.data_provider,
            board.assets_zip_provider,
            events,
        )
    )


def answer_of(client: Any, page: str) -> Any:
    """What a page holds: JSON, text, or the bytes of a file as a list."""
    found = client.get(f"/data/{page}")
    assert found.status_code == 200, (page, found.status, found.data[:500])
    if found.mimetype == "application/json":
        return json.loads(found.data)
    return found.text if found.mimetype.startswith("text/") else list(found.data)


if __name__ == "__main__":
    served = server_of(sys.argv[1])
    print(json.dumps([answer_of(served, page) for page in sys.argv[2:]]))
