"""The embedded broker with several writers."""

from __future__ import annotations

import multiprocessing
import time
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection

from portal.backends import file_broker

MESSAGES = 200
WRITERS = 4


def open_connection(folder: Path) -> Connection:
    places = {name: folder / name for name in ("queue", "processed", "control")}
    for place in places.values():
        place.mkdir(exist_ok=True)
    options = {
        "data_folder_in": str(places["queue"]),
        "data_folder_out": str(places["queue"]),
        "processed_folder": str(places["processed"]),
        "control_folder": str(places["control"]),
    }
    return Connection("filesystem://", transport_options=options)


def write_messages(folder: Path, writer: int) -> None:
    file_broker.install_broker()
    with open_connection(folder) as broker:
        queue = broker.SimpleQueue("work")
        for number in range(MESSAGES):
            queue.put({"writer": writer, "number": number, "text": "x" * 20_000})
        queue.close()


@pytest.mark.shows("reliability-22")
def test_a_reader_never_gets_a_partial_message(tmp_path: Path) -> None:
    file_broker.install_broker()
    # Processes, as in production: threads would share their cache of bindings.
    processes = multiprocessing.get_context("spawn")
    writers = [processes.Process(target=write_messages, args=(tmp_path, writer)) for writer in range(WRITERS)]
    for writer in writers:
        writer.start()

    seen: list[tuple[int, int]] = []
    with open_connection(tmp_path) as broker:
        queue = broker.SimpleQueue("work")
        deadline = time.monotonic() + 60
        while len(seen) < MESSAGES * WRITERS and time.monotonic() < deadline:
            try:
                message = queue.get(block=False)
            except Empty:
                continue
            message.ack()
            seen.append((message.payload["writer"], message.payload["number"]))
        queue.close()
    for writer in writers:
        writer.join()

    assert sorted(seen) == [(writer, number) for writer in range(WRITERS) for number in range(MESSAGES)]
