"""Streamed CSV that is safe against formula injection in spreadsheets (OWASP, CSV injection)."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from django.http import StreamingHttpResponse

# Where a spreadsheet set to other separators ends a cell, whatever quotes are around it; it skips spaces and quotes.
_CELL_END = r"[;|\t\r\n][\s\"']*"
# The characters that start a formula, also full-width, and the whitespace that a spreadsheet skips before one.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001  (meant to be so)
_INNER_FORMULA = re.compile(f"({_CELL_END})(?=[{re.escape(''.join(FORMULA_STARTS))}])")


class _EchoWriter:
    """A file for `csv.writer` that returns each line instead of storing it."""

    def write(self, text: str) -> str:
        return text


def csv_cell(value: object) -> object:
    """Return a value for a cell: text that would be a formula is quoted, instants are in UTC, numbers unchanged."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    if isinstance(value, str):
        text = _INNER_FORMULA.sub(r"\1'", value)
        return f"'{text}" if text.lstrip(" ").startswith(FORMULA_STARTS) else text
    return value


def csv_response(name: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> StreamingHttpResponse:
    """Return a download of `<name>.csv` in UTF-8, streamed row by row."""
    return StreamingHttpResponse(
        _csv_lines(header, rows),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"', "Cache-Control": "no-store"},
    )


def _csv_lines(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[bytes]:
    writer = csv.writer(_EchoWriter())
    yield _encode_line(writer.writerow(header))
    for row in rows:
        yield _encode_line(writer.writerow([csv_cell(value) for value in row]))


def _encode_line(line: object) -> bytes:
    # `writerow` returns what `write` returned, although its type hint says otherwise.
    return str(line).encode()
