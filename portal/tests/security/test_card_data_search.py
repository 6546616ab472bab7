"""The card data search of the browser tests finds planted card data and has no false positives."""

import base64
import json
import sqlite3
from email.message import EmailMessage

import pytest

from e2e.support.card_data_search import TEST_CARDS, CardDataSearch, card_numbers_in, security_codes_in

PORTAL = "http://127.0.0.1:8000"
VISA, CODE = "4111111111111111", "097"


@pytest.fixture
def folder(tmp_path):
    with sqlite3.connect(tmp_path / "db.sqlite3") as database:
        database.execute("CREATE TABLE kept (words TEXT, number INTEGER, raw BLOB)")
        database.execute("INSERT INTO kept VALUES ('************1111', 97, x'00')")
    database.close()
    for place in ("mail", "static", "celery/queue"):
        (tmp_path / place).mkdir(parents=True)
    (tmp_path / "run.log").write_text("GET /api/payments/ 200 97 0.4000056655665556\n")
    for name in ("sandbox.sqlite3", "sandbox.sqlite3-wal"):
        (tmp_path / name).write_text(VISA)
    (tmp_path / "static" / "cards.js").write_text(VISA)
    return tmp_path


@pytest.fixture
def search(folder):
    search = CardDataSearch(portal=PORTAL, folder=folder)
    search.record_request("GET", f"{PORTAL}/api/payments/", {"content-length": CODE}, "")
    return search


def test_it_passes_if_there_is_no_card_data(search):
    search.record_request("POST", "http://127.0.0.1:8001/v2/tokens", {}, json.dumps({"number": VISA, "cvv": CODE}))
    search.assert_no_card_data(codes=[CODE])


def test_it_reports_what_it_found_and_where(search):
    search.record_request("POST", f"{PORTAL}/a", {}, json.dumps({"cvv": CODE}))
    with pytest.raises(AssertionError, match=f"a code after .*cvv.* in POST {PORTAL}/a"):
        search.assert_no_card_data(codes=[CODE])


def test_it_fails_if_it_has_recorded_no_request(folder):
    with pytest.raises(AssertionError, match="no request was seen"):
        CardDataSearch(portal=PORTAL, folder=folder).assert_no_card_data()


@pytest.mark.shows("security-44")
@pytest.mark.parametrize(
    ("path", "headers", "body"),
    [
        (f"/a?number={VISA}", {}, ""),
        ("/a?number=4111+1111%201111-1111", {}, ""),
        (f"/api/{VISA}/x", {}, ""),
        ("/a", {"x-note": VISA}, ""),
        ("/a", {"referer": f"{PORTAL}/?n={VISA}"}, ""),
        ("/a", {}, json.dumps({"card": {"number": VISA}})),
        ("/a", {}, json.dumps({"number": int(VISA)})),
        ("/a", {}, "number=3782%20822463%2010005"),
        ("/a", {}, f"prefix{VISA}suffix"),
        ("/a", {}, json.dumps({"cvv": CODE})),
        (f"/a?cvv={CODE}&b=c", {}, ""),
        ("/a", {}, f"cvv={CODE}"),
        ("/a", {}, CODE),
        ("/a", {}, json.dumps({"cvv": int(CODE)})),
        ("/a", {}, json.dumps({"note": f"my code is {CODE}, thanks"})),
        ("/a", {}, json.dumps({"card": [4, int(CODE)]})),
        (f"/a?cvv={int(CODE)}", {}, ""),
    ],
)
def test_it_finds_card_data_in_requests(search, path, headers, body):
    search.record_request("POST", PORTAL + path, headers, body)
    with pytest.raises(AssertionError):
        search.assert_no_card_data(codes=[CODE])


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/a", json.dumps({"billingZip": "10097", "quote": "97b1", "at": "2026-08-97", "days": 970})),
        ("/a", json.dumps({"paymentSourceId": "pm_97", "amount": 0.97, "rate": 97.5})),
        ("/api/invoices/97/", ""),
    ],
)
def test_other_numbers_in_requests_are_not_security_codes(search, path, body):
    search.record_request("POST", PORTAL + path, {}, body)
    search.assert_no_card_data(codes=[CODE])


@pytest.mark.shows("security-44")
@pytest.mark.parametrize(
    "row",
    [
        (f'{{"number": "{VISA}"}}', None, None),
        (None, int(VISA), None),
        (None, None, b"\x00\xff4111 1111 1111 1111"),
        (f'{{"cvv": "{CODE}"}}', None, None),
        (CODE, None, None),
    ],
)
def test_it_finds_card_data_in_the_database(search, folder, row):
    with sqlite3.connect(folder / "db.sqlite3") as database:
        database.execute("INSERT INTO kept VALUES (?, ?, ?)", row)
    database.close()
    assert ["kept." in place for place in search.find_card_data(codes=[CODE])] == [True]


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("run.log", f"INFO number={VISA}"),
        ("run.log", f"ERROR {{'cvv': '{CODE}'}}"),
        ("deeper/other.log", "4111-1111-1111-1111"),
        ("celery/queue/message", f'["{VISA}"]'),
    ],
)
def test_it_finds_card_data_in_logs_and_queued_messages(search, folder, place, line):
    (folder / place).parent.mkdir(exist_ok=True)
    (folder / place).write_text(line)
    assert [place in found for found in search.find_card_data(codes=[CODE])] == [True]


@pytest.mark.parametrize("encoding", ["8bit", "base64", "quoted-printable"])
def test_it_finds_card_data_in_mails(search, folder, encoding):
    mail = EmailMessage()
    mail["Subject"] = "Your card"
    mail.set_content(f"It is {VISA[:4]} {VISA[4:8]} {VISA[8:12]} {VISA[12:]}.", cte=encoding)
    (folder / "mail" / "one.log").write_bytes(mail.as_bytes() + b"\n" + b"-" * 79 + b"\n")
    assert search.find_card_data() == ["a number ending in 1111 in mail/one.log"]


def test_a_mail_boundary_is_not_a_card_number(search, folder):
    mail = EmailMessage()
    mail.set_content("Hello")
    mail.add_alternative("<p>Hello</p>", subtype="html")
    mail.set_boundary("===============4101143227833987679==")
    (folder / "mail" / "one.log").write_bytes(mail.as_bytes() + b"\n" + b"-" * 79 + b"\n")
    assert search.find_card_data() == []


@pytest.mark.parametrize("number", [*TEST_CARDS, "4000056655665556", "2223003122003222", "4222222222222"])
def test_it_recognizes_cards_of_every_brand(number):
    assert card_numbers_in(f"paid with {number}, thank you") == {number}


@pytest.mark.parametrize(
    "text",
    [
        "4000056655665557",  # a wrong check digit
        "1774051200000",  # an instant in milliseconds
        "9111111111111111",  # not a prefix of any brand
        "pm_4000056655665556",
        "a4000056655665556",
        "0.4000056655665556",
        "40000566556655564000",
        base64.b64encode(b"a token of some length").decode(),
    ],
)
def test_other_long_numbers_are_not_card_numbers(text):
    assert card_numbers_in(text) == set()


@pytest.mark.parametrize(
    "text", ["$0.97", "1097", "0971", "pm_097", "HTTP/1.1 200 097 0.1", "12,097", '{"amount": 97}']
)
def test_other_short_numbers_are_not_security_codes(text):
    assert not security_codes_in(text, CODE)
