"""Show a document of the repository as HTML: the part of Markdown in which `docs/` is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

_CODE_INDENT, _ITEM_INDENT = "    ", "  "
_ITEM = "- "
_RULE = re.compile(r"\|[\s|:-]+\|")
_INLINE = re.compile(
    r"`(?P<code>[^`]+)`|\[(?P<label>[^\]]+)\]\((?P<target>[^)]+)\)|\*\*(?P<strong>[^*]+)\*\*|\*(?P<emphasis>[^*\s][^*]*)\*"
)

LinkWriter = Callable[[SafeString, str], SafeString]


@dataclass(frozen=True)
class Section:
    """A heading of the second level and what is below it. `anchor` is the fragment that links to it name."""

    anchor: str
    title: str
    body: SafeString


def heading_anchor(title: str) -> str:
    """Return the fragment of a heading, as GitHub makes it."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def read_sections(text: str, *, write_link: LinkWriter) -> Iterator[Section]:
    """Yield the sections of a document, without its title and what precedes the first of them.

    `write_link` gets a link's label and its target as written, and returns what is shown for it.
    """
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        yield Section(heading_anchor(title), title, _render_blocks(body.split("\n"), write_link))


def _render_blocks(lines: Sequence[str], write_link: LinkWriter) -> SafeString:
    """Return paragraphs, lists, tables and blocks of code."""
    blocks = []
    rest = list(lines)
    while rest:
        if not rest[0].strip():
            rest = rest[1:]
            continue
        block = list(takewhile(_continues(rest[0]), rest))
        rest = rest[len(block) :]
        blocks.append(_render_block(block, write_link))
    return format_html_join("\n", "{}", ((block,) for block in blocks))


def _continues(first: str) -> Callable[[str], bool]:
    """Return the test of a line: whether it belongs to the block that begins with `first`."""
    if first.startswith(_CODE_INDENT):
        return lambda line: line.startswith(_CODE_INDENT)
    if first.startswith(_ITEM):
        return lambda line: not line.strip() or line.startswith((_ITEM, _ITEM_INDENT))
    return lambda line: bool(line.strip()) and not line.startswith(_ITEM)


def _render_block(block: Sequence[str], write_link: LinkWriter) -> SafeString:
    first = block[0]
    if first.startswith(_CODE_INDENT):
        return format_html("<pre>{}</pre>", "\n".join(line.removeprefix(_CODE_INDENT) for line in block))
    if first.startswith(_ITEM):
        items = ((_render_item(item, write_link),) for item in _split_items(block))
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{}</li>", items))
    if first.startswith("|"):
        return _render_table(block, write_link)
    return format_html("<p>{}</p>", _render_inline(" ".join(block), write_link))


def _split_items(block: Sequence[str]) -> list[list[str]]:
    items: list[list[str]] = []
    for line in block:
        if line.startswith(_ITEM):
            items.append([])
        items[-1].append(line[len(_ITEM) :])
    return items


def _render_item(lines: Sequence[str], write_link: LinkWriter) -> SafeString:
    """Return an item; one that is a single paragraph is not set as one."""
    body = _render_blocks(lines, write_link)
    if body.count("<p>") == 1 and body.endswith("</p>"):
        return mark_safe(body.removeprefix("<p>").removesuffix("</p>"))  # noqa: S308  # escaped above
    return body


def _render_table(block: Sequence[str], write_link: LinkWriter) -> SafeString:
    head, *rows = [_split_cells(line) for line in block if not _RULE.fullmatch(line)]
    shown = format_html_join("", '<th scope="col">{}</th>', ((_render_inline(cell, write_link),) for cell in head))
    if not any(head):
        shown = mark_safe("")
    body = format_html_join(
        "",
        "<tr>{}</tr>",
        ((format_html_join("", "<td>{}</td>", ((_render_inline(cell, write_link),) for cell in row)),) for row in rows),
    )
    top = format_html("<thead><tr>{}</tr></thead>", shown) if shown else ""
    return format_html("<table>{}<tbody>{}</tbody></table>", top, body)


def _split_cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _render_inline(text: str, write_link: LinkWriter) -> SafeString:
    shown, end = "", 0
    for mark in _INLINE.finditer(text):
        shown += escape(text[end : mark.start()]) + _render_mark(mark, write_link)
        end = mark.end()
    return mark_safe(shown + escape(text[end:]))  # noqa: S308  # each part is escaped


def _render_mark(mark: re.Match[str], write_link: LinkWriter) -> SafeString:
    if mark["code"]:
        return format_html("<code>{}</code>", mark["code"])
    if mark["label"]:
        return write_link(_render_inline(mark["label"], write_link), mark["target"])
    if mark["strong"]:
        return format_html("<strong>{}</strong>", _render_inline(mark["strong"], write_link))
    return format_html("<em>{}</em>", mark["emphasis"])
