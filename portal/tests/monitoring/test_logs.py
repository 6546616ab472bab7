"""Log lines carry a request id through web, worker and provider, and contain no secrets."""

import io
import json
import logging
import os
import re
import socket
import subprocess
import sys
import threading

import pytest
from celery import Celery
from celery.contrib.testing.worker import start_worker

from conftest import ROOT
from portal.monitoring import logs

KEY = "live_4f1cf2b0a1"
REDACTIONS = {
    "an address in a query": (
        "GET /customers?email[is]=ava%2Btv%40example.com HTTP/1.1",
        "GET /customers?email[is]=[address] HTTP/1.1",
    ),
    "an address": ("Mail to ava.smith+tv@example.co.uk was refused", "Mail to [address] was refused"),
    "a token": (
        "Authorization: Bearer 5f2c9a7be1d04c3a5f2c9a7be1d04c3a",
        "Authorization: Bearer [secret]",
    ),
    "basic auth": ("sent Basic dGVzdDp0ZXN0OnRlc3Q6dGVzdA==", "sent Basic [secret]"),
    "a database's password": ("postgres://portal:hunter2@db:5432/x", "postgres://portal:[secret]@db:5432/x"),
    "a secret of ours": (f"the key {KEY} was refused", "the key [secret] was refused"),
    "nothing": ("Basic facts about token use: 12 of 20", "Basic facts about token use: 12 of 20"),
}


@pytest.fixture(params=[logs.JsonLines, logs.PlainLines])
def log(request):
    """A logger with the formatter, and the stream that it writes to."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(logs.RequestIdFilter())
    handler.setFormatter(request.param(secrets=[KEY]))
    logger = logging.getLogger("portal.example")
    logger.addHandler(handler)
    yield logger, stream
    logger.removeHandler(handler)


@pytest.fixture
def read_lines():
    """Log as JSON during a test; return a function that reads the lines."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(logs.RequestIdFilter())
    handler.setFormatter(logs.JsonLines(secrets=[KEY]))
    loggers = [logging.getLogger(name) for name in ("portal.access", "portal.example")]
    before = [(logger, logger.level) for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    for logger, level in before:
        logger.removeHandler(handler)
        logger.setLevel(level)


@pytest.mark.parametrize(("logged_text", "redacted"), REDACTIONS.values(), ids=REDACTIONS)
def test_a_line_is_redacted(log, logged_text, redacted):
    logger, stream = log
    logger.warning("%s", logged_text)
    assert redacted in stream.getvalue()
    assert (logged_text in stream.getvalue()) == (logged_text == redacted)


@pytest.mark.parametrize(
    "logged_text", [logged_text for name, (logged_text, _) in REDACTIONS.items() if name != "nothing"]
)
def test_a_traceback_is_redacted(log, logged_text):
    logger, stream = log
    try:
        raise RuntimeError(logged_text)
    except RuntimeError:
        logger.exception("It failed")
    assert "RuntimeError" in stream.getvalue()
    assert logged_text not in stream.getvalue()


@pytest.mark.parametrize(
    ("logged_text", "redacted"),
    [
        ("To:\nava@example.com", "To:\n[address]"),
        ("“ava@example.com” is unknown", "“[address]” is unknown"),
        ("sent\nBearer 5f2c9a7be1d04c3a5f2c9a7be1d04c3a", "sent\nBearer [secret]"),
    ],
    ids=["an address on a new line", "an address in quotes", "a token on a new line"],
)
def test_a_redacted_line_is_still_a_json_object(read_lines, logged_text, redacted):
    logging.getLogger("portal.example").warning("%s", logged_text, extra={"also": [logged_text]})
    (line,) = read_lines()
    assert (line["message"], line["also"]) == (redacted, [redacted])


def test_what_is_no_json_is_redacted_as_it_is_written(read_lines):
    others = {"ava@example.com": ValueError(f"{KEY} of ava@example.com"), "codes": (1, 2.5, None, True)}
    logging.getLogger("portal.example").warning("Failed", extra={"others": others})
    (line,) = read_lines()
    assert line["others"] == {"[address]": "ValueError: [secret] of [address]", "codes": [1, 2.5, None, True]}


def test_a_line_is_a_json_object_with_its_time_in_utc():
    record = logging.LogRecord("billing", logging.INFO, "x.py", 1, "Job %s is late", ("resumes",), None)
    record.created = 1_774_951_200.25
    record.status = 200
    with logs.bind_request_id("abc-123-def"):
        logs.RequestIdFilter().filter(record)
    assert json.loads(logs.JsonLines(secrets=[]).format(record)) == {
        "time": "2026-03-31T10:00:00.250+00:00",
        "level": "INFO",
        "logger": "billing",
        "request_id": "abc-123-def",
        "message": "Job resumes is late",
        "status": 200,
    }


def test_a_request_is_logged_with_its_route_and_without_its_url(visitor, read_lines):
    visitor.get("/api/account?token=5f2c9a7be1d04c3a", headers={"X-Request-ID": "abc-123-def-456"})
    (line,) = read_lines()
    assert line["request_id"] == "abc-123-def-456"
    assert (line["method"], line["route"], line["status"]) == ("GET", "api/account", 401)
    assert line["milliseconds"] > 0
    assert "5f2c9a7be1d04c3a" not in json.dumps(line)


def test_a_503_is_logged_by_the_portal_and_a_crash_by_django(visitor, caplog):
    logged = {}
    for path in ("crash", "locked"):
        caplog.clear()
        assert visitor.get(f"/api/test/{path}").status_code in (500, 503)
        logged[path] = [(record.name, record.getMessage(), bool(record.exc_info)) for record in caplog.records]
    assert logged == {
        "crash": [("django.request", "Internal Server Error: /api/test/crash", True)],
        "locked": [("portal.api.errors", "The database did not answer.", True)],
    }


def test_a_task_logs_the_id_of_the_request_that_queued_it(read_lines):
    app = Celery("elsewhere", broker="memory://", backend="cache+memory://", set_as_current=False)
    done = threading.Semaphore(0)

    @app.task(name="portal.tests.say")
    def log_words(words):
        logging.getLogger("portal.example").info(words)
        done.release()

    with start_worker(app, pool="solo", perform_ping_check=False, shutdown_timeout=20):
        with logs.bind_request_id("abc-123-def-456"):
            log_words.delay("for a request")
        log_words.delay("by itself")
        assert all(done.acquire(timeout=20) for _ in range(2))
    request_ids = {line["message"]: line["request_id"] for line in read_lines()}
    assert request_ids["for a request"] == "abc-123-def-456"
    assert re.fullmatch("[0-9a-f]{32}", request_ids["by itself"])


def test_gunicorn_logs_json_objects(tmp_path):
    command = [sys.executable, "-m", "gunicorn", "-c", "portal/gunicorn_conf.py", "portal.wsgi"]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        environment = {
            **{name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"},
            "PORTAL_ENV": "demo",
            "LOG_FORMAT": "json",
            "VAR_DIR": str(tmp_path),
            "PORT": str(taken.getsockname()[1]),
        }
        with subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE) as server:
            assert server.stderr is not None
            line = json.loads(server.stderr.readline())
            server.kill()
    assert (line["level"], line["logger"]) == ("ERROR", "gunicorn.error")
    assert "in use" in line["message"]
