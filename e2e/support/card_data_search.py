"""Search everything that the portal receives, stores, logs and mails for card numbers and security codes."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from email import message_from_bytes
from pathlib import Path
from urllib.parse import unquote_plus, urlsplit

from playwright.sync_api import BrowserContext, Request

# The provider's documented test cards, which are found anywhere, even within other digits.
TEST_CARDS = (
    "4111111111111111",
    "5555555555554444",
    "378282246310005",
    "6011111111111117",
    "38520000023237",
    "3530111333300000",
    "4119862760338320",
    "4005519200000004",
)
# The prefixes and lengths of each brand's numbers.
BRAND_PATTERN = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})"
    r"|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}"
    r"|3[47]\d{13}"
    r"|3(?:0[0-5]|[689]\d)\d{11}"
    r"|(?:6011|64[4-9]\d|65\d\d)\d{12,15}"
    r"|35(?:2[89]|[3-8]\d)\d{12,15}"
)
# A separate number, in one piece or grouped as on a card. Digits next to letters, underscores or a decimal point belong
# to an id, a digest or a fraction; our own ids sometimes contain such sequences.
CANDIDATE = re.compile(
    r"(?<![\w.])(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{4,5})(?![\w]|\.\d)"
)
# A security code is short and has no check digit, so it counts only as a value. The tests use codes that begin with a
# zero, as no amount in a document does.
CODE_AS_VALUE = r"""(?:^|["'=:]\s?){code}(?=["'&,}}\s]|$)"""
# What a browser sends is short and known, so there the code counts as any separate number, also without its leading
# zeros, as in a JSON number.
CODE_AS_NUMBER = r"(?<![\w.-])0*{number}(?![\w-]|\.\d)"
# Not searched: the bundle, which is the same for everybody, and the provider's database with its journals.
BUNDLE, PROVIDERS_DATABASE = "static", "sandbox.sqlite3"
DATABASE = "db.sqlite3"
# A MIME boundary contains a random number; one in a hundred passes for a card number.
MIME_BOUNDARY = re.compile(rb"={15}\d{19}==")


def passes_luhn(number: str) -> bool:
    """Return whether the check digit of a number is right."""
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(number))]
    return sum(value // 10 + value % 10 for value in doubled) % 10 == 0


def card_numbers_in(text: str) -> set[str]:
    """Return the card numbers in a text: the test cards', and numbers that match a brand's pattern."""
    digits = re.sub(r"[ -]", "", text)
    known = {number for number in TEST_CARDS if number in digits}
    candidates = {re.sub(r"[ -]", "", match.group()) for match in CANDIDATE.finditer(text)}
    return known | {number for number in candidates if BRAND_PATTERN.fullmatch(number) and passes_luhn(number)}


def security_codes_in(text: str, code: str) -> set[str]:
    """Return the text before each place where a security code is a value."""
    found = re.finditer(CODE_AS_VALUE.format(code=re.escape(code)), text)
    return {text[max(0, match.start() - 40) : match.start()] for match in found}


def security_numbers_in(text: str, code: str) -> set[str]:
    """Return the text before each place where a security code is a number, quoted or not."""
    found = re.finditer(CODE_AS_NUMBER.format(number=int(code)), text)
    return {text[max(0, match.start() - 40) : match.start()] for match in found}


def texts_of_database(file: Path) -> Iterator[tuple[str, str]]:
    """Yield every value of every table, with the name of its table and column."""
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            rows = database.execute(f'SELECT * FROM "{table}"')  # noqa: S608  (the database's own names)
            columns = [name for name, *_ in rows.description]
            for row in rows:
                yield from ((f"{table}.{column}", _as_text(value)) for column, value in zip(columns, row, strict=True))


def _as_text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    # Stored as a number, a security code has lost its zero and cannot be told from an amount.
    return value if isinstance(value, str) else f"number {value}"


def texts_of_files(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the content of every file that the portal writes; mails are also yielded decoded."""
    for file in sorted(folder.rglob("*")):
        place = file.relative_to(folder)
        if file.is_dir() or place.parts[0] == BUNDLE or place.name.startswith((PROVIDERS_DATABASE, DATABASE)):
            continue
        try:
            content = file.read_bytes()
        except FileNotFoundError:
            continue  # a queue message that a worker has just consumed
        is_mail = place.parts[0] == "mail"
        yield str(place), (MIME_BOUNDARY.sub(b"", content) if is_mail else content).decode("latin-1")
        if is_mail:
            yield from ((str(place), text) for text in _mail_bodies(content))


def _mail_bodies(content: bytes) -> Iterator[str]:
    for mail in content.split(b"\n" + b"-" * 79 + b"\n"):
        for part in message_from_bytes(mail).walk():
            body = part.get_payload(decode=True)
            if isinstance(body, bytes):
                yield body.decode("utf-8", "replace")


def _quoted_and_unquoted(texts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield each text as it is, and with its URL quoting removed."""
    for place, text in texts:
        yield from ((place, read) for read in {text, unquote_plus(text)})


class CardDataSearch:
    """Records what a browser sends to the portal, and searches it and everything that the portal stores."""

    def __init__(self, *, portal: str, folder: Path, context: BrowserContext | None = None) -> None:
        self.portal = portal
        self.folder = folder
        self.requests: list[tuple[str, str]] = []
        self.sent: list[tuple[str, str]] = []
        self._context = context
        if context is not None:
            context.on("request", self._note_request)

    def _note_request(self, request: Request) -> None:
        body = (request.post_data_buffer or b"").decode("latin-1")
        self.record_request(request.method, request.url, request.headers, body)

    def record_request(self, method: str, url: str, headers: dict[str, str], body: str) -> None:
        """Record a request if it goes to the portal."""
        if url == self.portal or url.startswith(f"{self.portal}/"):
            # The content length may be as short as a security code.
            lines = [f"{name}: {value}" for name, value in headers.items() if name != "content-length"]
            parts = [url, *lines, f"body:{body}"]
            self.requests.append((f"{method} {url}", "\n".join(parts)))
            self.sent.append((f"what was sent by {method} {url}", f"{urlsplit(url).query}\n{body}"))

    def searched_texts(self) -> Iterator[tuple[str, str]]:
        """Yield everything to be searched, each text with its place."""
        yield from self.requests
        if self._context is not None:
            yield from (("a cookie", str(cookie)) for cookie in self._context.cookies())
        yield from texts_of_database(self.folder / DATABASE)
        yield from texts_of_files(self.folder)

    def find_card_data(self, *, codes: Iterable[str] = ()) -> list[str]:
        """Return the places of card numbers and of these security codes, without the numbers themselves."""
        wanted = tuple(codes)
        places: dict[str, None] = {}
        for place, read in _quoted_and_unquoted(self.searched_texts()):
            numbers = {f"a number ending in {number[-4:]}" for number in card_numbers_in(read)}
            exposed = {f"a code after {before!r}" for code in wanted for before in security_codes_in(read, code)}
            places.update(dict.fromkeys(f"{what} in {place}" for what in numbers | exposed))
        for place, read in _quoted_and_unquoted(self.sent):
            exposed = {f"a code after {before!r}" for code in wanted for before in security_numbers_in(read, code)}
            places.update(dict.fromkeys(f"{what} in {place}" for what in exposed))
        return list(places)

    def assert_no_card_data(self, *, codes: Iterable[str] = ()) -> None:
        """Raise AssertionError if card data is found, with its places, or if there was nothing to search."""
        assert self.requests, "no request was seen: the search was made after the page had been used"
        assert (self.folder / DATABASE).stat().st_size > 0
        found = self.find_card_data(codes=codes)
        assert not found, "\n".join(found)
