"""Requests with chunked bodies are read like any others."""

from typing import Any

import pytest

from portal.middleware.chunked_bodies import ChunkedBodyMiddleware

LIMIT = 1_000


class ChunkedInput:
    """A WSGI input that returns the bytes received so far, up to the size requested."""

    def __init__(self, *parts: bytes) -> None:
        self.parts = list(parts)

    def read(self, size: int) -> bytes:
        part = self.parts.pop(0) if self.parts else b""
        if len(part) > size:
            self.parts.insert(0, part[size:])
        return part[:size]


def discard_answer(*_: Any) -> Any:
    """Ignore the response, as a WSGI `start_response`."""


def read_request(environ):
    """Return the body that the application behind the middleware reads."""
    read = []

    def application(request_environ, start_response):
        read.append(request_environ["wsgi.input"].read(int(request_environ.get("CONTENT_LENGTH") or 0)))
        return []

    ChunkedBodyMiddleware(application, LIMIT)(environ, discard_answer)
    return read[0]


def test_it_reads_a_chunked_body_to_its_end():
    chunked = {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input": ChunkedInput(b'{"a"', b": 1", b"}")}
    assert read_request(chunked) == b'{"a": 1}'


def test_it_stops_reading_one_byte_past_the_limit():
    chunked = {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input": ChunkedInput(*[b"x" * 600] * 1_000)}
    assert len(read_request(chunked)) == LIMIT + 1


class TruncatedInput:
    """A WSGI input that ends in the middle of a chunk."""

    def read(self, size: int) -> bytes:
        raise OSError("no more data")


def test_it_refuses_a_truncated_body():
    answers: list[str] = []

    def start(status: str, *_: Any) -> Any:
        answers.append(status)

    application = ChunkedBodyMiddleware(lambda *_: pytest.fail("it was passed on"), LIMIT)
    chunked = {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input": TruncatedInput()}
    assert application(chunked, start) == []
    assert answers == ["400 Bad Request"]


@pytest.mark.parametrize("environ", [{"CONTENT_LENGTH": "3"}, {"CONTENT_LENGTH": ""}, {}])
def test_it_passes_on_bodies_that_are_not_chunked(environ):
    request_environ = {**environ, "wsgi.input": ChunkedInput(b"abc")}
    assert read_request(request_environ) == b"abc"[: int(environ.get("CONTENT_LENGTH") or 0)]


def test_the_wsgi_application_uses_it():
    from portal.wsgi import application

    assert isinstance(application, ChunkedBodyMiddleware)
