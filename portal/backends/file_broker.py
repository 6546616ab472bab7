"""The embedded broker: kombu's filesystem transport with atomic writes.

kombu writes a message directly into the folder that its consumer lists. The consumer may read a file that is still
empty, and the worker then exits with a JSON error. The same can happen with the file of an exchange's queues. Here both
are written to a temporary file first and then renamed or linked.
"""

from __future__ import annotations

import os
import uuid
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps

NO_QUEUES = "[]"


def install_broker() -> None:
    """Register this transport for `filesystem://`."""
    TRANSPORT_ALIASES["filesystem"] = "portal.backends.file_broker:Transport"


class Channel(filesystem.Channel):
    """kombu's channel with atomic writes."""

    def _put(self, queue: str, payload: dict[str, Any], **kwargs: Any) -> None:  # type: ignore[override]
        """Add a message to a queue. Names begin with the time, so that the oldest is listed first."""
        name = f"{round(monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        folder = Path(self.data_folder_out)
        _write_beside(folder / name, dumps(payload)).replace(folder / name)

    def _queue_bind(self, exchange: str, *args: Any, **kwargs: Any) -> None:
        """Bind a queue to an exchange, whose file is created complete."""
        file: Path = self._exchange_file(exchange)  # type: ignore[attr-defined]  # kombu's stubs leave it out
        self.control_folder.mkdir(exist_ok=True)
        if not file.exists():
            part = _write_beside(file, NO_QUEUES)
            # A link does not overwrite the file of a process that was first.
            with suppress(FileExistsError):
                os.link(part, file)
            part.unlink()
        super()._queue_bind(exchange, *args, **kwargs)


class Transport(filesystem.Transport):
    """kombu's transport with this channel."""

    Channel = Channel
    # Shared by the connections of a process, as in kombu.
    global_state = filesystem.Transport.global_state


def _write_beside(target: Path, text: str) -> Path:
    # The consumer ignores the name, because it does not end like a message of a queue.
    part = target.with_name(f".{uuid.uuid4().hex}.part")
    part.write_text(text)
    return part
