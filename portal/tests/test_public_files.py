"""What anybody may ask: `/robots.txt`, `/.well-known/security.txt`, and the reports of browsers."""

import json
import logging

import pytest

from portal.monitoring import metrics

REPORT = {
    "document-uri": "https://account.example.com/unsubscribe/a-signed-token",
    "effective-directive": "script-src-elem",
    "blocked-uri": "https://evil.example.com/x.js?token=a-signed-token",
}


def send_report(client, body, content_type="application/csp-report"):
    return client.post("/csp-reports", body, content_type=content_type)


def count_reports(directive):
    sample = metrics.POLICY_REPORTS.labels(directive)
    return sample._value.get()


@pytest.mark.shows("security-48")
def test_search_engines_may_read_the_landing_page_alone(client):
    answer = client.get("/robots.txt")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.content.decode().splitlines() == ["User-agent: *", "Allow: /$", "Disallow: /"]


@pytest.mark.shows("security-48")
def test_the_security_contact_is_published_with_an_end(client, settings, time_machine):
    time_machine.move_to("2026-03-10T12:00:00Z", tick=False)
    settings.SECURITY_CONTACT, settings.BASE_URL = "mailto:security@example.com", "https://account.example.com"
    assert client.get("/.well-known/security.txt").content.decode().splitlines() == [
        "Contact: mailto:security@example.com",
        "Expires: 2026-09-06T00:00:00Z",
        "Preferred-Languages: en",
        "Canonical: https://account.example.com/.well-known/security.txt",
    ]


def test_without_a_contact_there_is_no_file(client):
    assert client.get("/.well-known/security.txt").status_code == 404


@pytest.mark.shows("security-47")
def test_a_browsers_report_is_counted_and_logged_without_addresses(client, caplog):
    before = count_reports("script-src-elem")
    with caplog.at_level(logging.INFO, "portal.public_files"):
        assert send_report(client, json.dumps({"csp-report": REPORT})).status_code == 204
    assert count_reports("script-src-elem") == before + 1
    assert caplog.messages == ["A browser reported a violation of script-src-elem by https://evil.example.com."]


@pytest.mark.shows("security-47")
@pytest.mark.parametrize("blocked", ["inline\nforged line", "https://[", "data:text/html,x", ["list"], None])
def test_an_odd_report_is_counted_as_other_on_one_line(client, caplog, blocked):
    before = count_reports("other")
    report = {**REPORT, "effective-directive": "made-up", "blocked-uri": blocked}
    with caplog.at_level(logging.INFO, "portal.public_files"):
        assert send_report(client, json.dumps({"csp-report": report})).status_code == 204
    assert count_reports("other") == before + 1
    assert "\n" not in caplog.messages[0]


@pytest.mark.parametrize("body", ["", "{", "[]", "1", '{"csp-report": 1}', '{"other": {}}', "[" * 5_000, "x" * 20_000])
def test_what_is_no_report_is_refused(client, body):
    assert send_report(client, body).status_code == 400
