"""CSV that is streamed, and that no spreadsheet takes for a program (OWASP, CSV injection)."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from django.http import StreamingHttpResponse

# What a spreadsheet begins a formula with, also in full width, and what it skips on the way to one.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001  (meant to be so)


class _Line:
    """Takes what the writer writes and hands it on: nothing is gathered."""

    def write(self, text: str) -> str:
        return text


def cell(value: object) -> object:
    """Give a value as a cell holds it: text is kept from being a formula, numbers stay numbers, instants are UTC."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    if isinstance(value, str):
        return f"'{value}" if value.lstrip(" ").startswith(FORMULA_STARTS) else value
    return value


def csv_response(name: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> StreamingHttpResponse:
    """Give a download of `<name>.csv` in UTF-8, a row at a time."""
    return StreamingHttpResponse(
        _lines(header, rows),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"', "Cache-Control": "no-store"},
    )


def _lines(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[bytes]:
    writer = csv.writer(_Line())
    yield _written(writer.writerow(header))
    for row in rows:
        yield _written(writer.writerow([cell(value) for value in row]))


def _written(line: object) -> bytes:
    # The writer returns what `write` returned, though its types say otherwise.
    return str(line).encode()
