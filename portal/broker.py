"""The embedded broker: Celery's folder of messages, in which each message appears whole.

kombu writes a message into the folder that its consumer lists, so that the consumer may take a file that is still
empty; the worker then ends with a JSON error. The same goes for the file that names an exchange's queues while it is
made. Here both are written beside their place and put there in one step of the file system.
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


def install() -> None:
    """Make `filesystem://` mean this broker."""
    TRANSPORT_ALIASES["filesystem"] = "portal.broker:Transport"


class Channel(filesystem.Channel):
    """kombu's channel, with files that appear whole."""

    def _put(self, queue: str, payload: dict[str, Any], **kwargs: Any) -> None:  # type: ignore[override]
        """Put a message onto a queue; names begin with the time, so that the folder lists the oldest first."""
        name = f"{round(monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        folder = Path(self.data_folder_out)
        _written_beside(folder / name, dumps(payload)).replace(folder / name)

    def _queue_bind(self, exchange: str, *args: Any, **kwargs: Any) -> None:
        """Bind a queue to an exchange, whose file is there and readable before anybody looks."""
        file: Path = self._exchange_file(exchange)  # type: ignore[attr-defined]  # kombu's stubs leave it out
        self.control_folder.mkdir(exist_ok=True)
        if not file.exists():
            part = _written_beside(file, NO_QUEUES)
            # A link, since it does not overwrite: another process may have been first.
            with suppress(FileExistsError):
                os.link(part, file)
            part.unlink()
        super()._queue_bind(exchange, *args, **kwargs)


class Transport(filesystem.Transport):
    """kombu's transport, with our channel."""

    Channel = Channel
    # Shared by the connections of a process, as kombu's own is.
    global_state = filesystem.Transport.global_state


def _written_beside(place: Path, text: str) -> Path:
    # A name that begins with a dot is no message of any queue.
    part = place.with_name(f".{uuid.uuid4().hex}.part")
    part.write_text(text)
    return part
