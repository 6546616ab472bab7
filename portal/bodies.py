"""Bodies that come in chunks, without saying beforehand how long they are."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment


class MeasuredBodies:
    """Gives a chunked body the length that Django reads by.

    Django takes a request without a `Content-Length` for one without a body: a list of what to resume would be
    overlooked, and everything resumed. Of a body over the limit one byte more than the limit is read, so that it is
    refused as too large.
    """

    def __init__(self, application: WSGIApplication, limit: int) -> None:
        self.application = application
        self.limit = limit

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer the request, its body measured; 400 to one whose chunks are cut short or are none."""
        if environ.get("HTTP_TRANSFER_ENCODING") and not environ.get("CONTENT_LENGTH"):
            try:
                body = _read(environ["wsgi.input"], self.limit + 1)
            except OSError:  # the kind that gunicorn raises
                start_response("400 Bad Request", [("Content-Length", "0"), ("Connection", "close")])
                return []
            environ["wsgi.input"], environ["CONTENT_LENGTH"] = io.BytesIO(body), str(len(body))
        return self.application(environ, start_response)


def _read(stream: Any, most: int) -> bytes:
    """Return the stream up to `most` bytes; one read may give less than is still to come."""
    parts: list[bytes] = []
    while most > 0 and (part := stream.read(most)):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)
