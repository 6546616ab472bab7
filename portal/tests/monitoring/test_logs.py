"""What is logged can be followed through web, worker and provider, and tells nobody's secrets."""

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
LINES = {
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
def lines(request):
    """A logger with the formatter, and what it has written."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(logs.RequestIdFilter())
    handler.setFormatter(request.param(secrets=[KEY]))
    logger = logging.getLogger("portal.example")
    logger.addHandler(handler)
    yield logger, stream
    logger.removeHandler(handler)


@pytest.fixture
def written():
    """A JSON handler on the root logger while a test runs, and its lines as they are read."""
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


@pytest.mark.parametrize(("said", "told"), LINES.values(), ids=LINES)
def test_a_line_keeps_what_is_nobody_elses(lines, said, told):
    logger, stream = lines
    logger.warning("%s", said)
    assert told in stream.getvalue()
    assert (said in stream.getvalue()) == (said == told)


@pytest.mark.parametrize("said", [said for name, (said, _) in LINES.items() if name != "nothing"])
def test_a_traceback_keeps_it_too(lines, said):
    logger, stream = lines
    try:
        raise RuntimeError(said)
    except RuntimeError:
        logger.exception("It failed")
    assert "RuntimeError" in stream.getvalue()
    assert said not in stream.getvalue()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("To:\nava@example.com", "To:\n[address]"),
        ("“ava@example.com” is unknown", "“[address]” is unknown"),
        ("sent\nBearer 5f2c9a7be1d04c3a5f2c9a7be1d04c3a", "sent\nBearer [secret]"),
    ],
    ids=["an address on a new line", "an address in quotes", "a token on a new line"],
)
def test_a_line_is_an_object_whatever_stands_before_what_is_taken_out(written, said, told):
    logging.getLogger("portal.example").warning("%s", said, extra={"also": [said]})
    (line,) = written()
    assert (line["message"], line["also"]) == (told, [told])


def test_a_line_is_an_object_with_its_time_in_utc():
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


def test_a_request_is_told_by_its_route_and_not_by_its_address(visitor, written):
    visitor.get("/api/account?token=5f2c9a7be1d04c3a", headers={"X-Request-ID": "abc-123-def-456"})
    (line,) = written()
    assert line["request_id"] == "abc-123-def-456"
    assert (line["method"], line["route"], line["status"]) == ("GET", "api/account", 401)
    assert line["milliseconds"] > 0
    assert "5f2c9a7be1d04c3a" not in json.dumps(line)


def test_a_mistake_of_ours_is_told_with_its_traceback_and_an_answer_of_503_is_not(visitor, caplog):
    logged = {}
    for path in ("crash", "locked"):
        caplog.clear()
        assert visitor.get(f"/api/test/{path}").status_code in (500, 503)
        logged[path] = [(record.name, record.getMessage(), bool(record.exc_info)) for record in caplog.records]
    assert logged == {
        "crash": [("django.request", "Internal Server Error: /api/test/crash", True)],
        "locked": [("portal.api.errors", "The database did not answer.", True)],
    }


def test_a_worker_goes_on_under_the_id_of_the_request(written):
    app = Celery("elsewhere", broker="memory://", backend="cache+memory://", set_as_current=False)
    done = threading.Semaphore(0)

    @app.task(name="portal.tests.say")
    def say(words):
        logging.getLogger("portal.example").info(words)
        done.release()

    with start_worker(app, pool="solo", perform_ping_check=False, shutdown_timeout=20):
        with logs.bind_request_id("abc-123-def-456"):
            say.delay("for a request")
        say.delay("by itself")
        assert all(done.acquire(timeout=20) for _ in range(2))
    told = {line["message"]: line["request_id"] for line in written()}
    assert told["for a request"] == "abc-123-def-456"
    assert re.fullmatch("[0-9a-f]{32}", told["by itself"])


def test_what_gunicorn_says_is_an_object_too(tmp_path):
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
