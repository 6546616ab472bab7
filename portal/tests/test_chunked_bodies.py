"""A body in chunks is read like any other."""

from typing import Any

import pytest

from portal.middleware.chunked_bodies import ChunkedBodyMiddleware

LIMIT = 1_000


class ChunkedInput:
    """A server's input that gives what has arrived, however much is asked for."""

    def __init__(self, *parts: bytes) -> None:
        self.parts = list(parts)

    def read(self, most: int) -> bytes:
        part = self.parts.pop(0) if self.parts else b""
        if len(part) > most:
            self.parts.insert(0, part[most:])
        return part[:most]


def discard_answer(*_: Any) -> Any:
    """A server's side of an answer that nobody looks at."""


def read_request(environ):
    """What the application behind would read."""
    read = []

    def application(given, start_response):
        read.append(given["wsgi.input"].read(int(given.get("CONTENT_LENGTH") or 0)))
        return []

    ChunkedBodyMiddleware(application, LIMIT)(environ, discard_answer)
    return read[0]


def test_it_reads_a_body_in_chunks_to_its_end():
    chunked = {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input": ChunkedInput(b'{"a"', b": 1", b"}")}
    assert read_request(chunked) == b'{"a": 1}'


def test_it_reads_no_more_than_shows_that_a_body_is_too_large():
    chunked = {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input": ChunkedInput(*[b"x" * 600] * 1_000)}
    assert len(read_request(chunked)) == LIMIT + 1


class TruncatedInput:
    """A server's input that ends in the middle of a chunk."""

    def read(self, most: int) -> bytes:
        raise OSError("no more data")


def test_it_refuses_chunks_that_are_cut_short():
    answers: list[str] = []

    def start(status: str, *_: Any) -> Any:
        answers.append(status)

    application = ChunkedBodyMiddleware(lambda *_: pytest.fail("it was passed on"), LIMIT)
    chunked = {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input": TruncatedInput()}
    assert application(chunked, start) == []
    assert answers == ["400 Bad Request"]


@pytest.mark.parametrize("environ", [{"CONTENT_LENGTH": "3"}, {"CONTENT_LENGTH": ""}, {}])
def test_it_leaves_a_measured_body_and_none_at_all_alone(environ):
    given = {**environ, "wsgi.input": ChunkedInput(b"abc")}
    assert read_request(given) == b"abc"[: int(environ.get("CONTENT_LENGTH") or 0)]


def test_the_server_serves_it():
    from portal.wsgi import application

    assert isinstance(application, ChunkedBodyMiddleware)
