"""Outgoing webhooks: each event is POSTed to the configured address until it answers 2xx or tries are over.

What is to be sent stands in the event's row, so that a restart loses nothing; what was answered is written
back. One thread owns the rows (reads what is due, records outcomes); a few sender threads own the network, so
that a hung receiver delays neither the API nor the other events. As documented: JSON, Basic auth, no
signature, order not kept, seven retries, and at least once (a process killed before it records an answer
sends again).

A first try leaves at once, whatever the site's clock says. Retries wait on the site's clock, counted from the
try that failed: somebody who travels a month past a portal that was down for a moment loses no event.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from dataclasses import dataclass
from queue import Empty, SimpleQueue

import httpx
from django.db import connection, transaction
from django.db.models import Q, QuerySet

from billing.sandbox import clock, events, settings
from billing.sandbox.engine.lock import writing
from billing.sandbox.faults import webhooks
from billing.sandbox.models import Event

logger = logging.getLogger(__name__)

RETRY_DELAYS = (120, 360, 1800, 3600, 18_000, 86_400, 172_800)
"""Seconds of the site's clock before each retry; after the last one fails the event is given up."""

SENDERS = 4
TIMEOUT = httpx.Timeout(10.0, connect=2.0)
_PENDING = ("scheduled", "re_scheduled")
# The clock can be moved at any moment; while a retry waits for it, look this often (real seconds).
_CLOCK_CHECK = 0.25
_IDLE_CHECK = 5.0
# Shorter than servers keep an idle connection (gunicorn: two seconds), or a try would fail on one just closed.
_KEPT_ALIVE_SECONDS = 1.0
_REASON_LENGTH = 300
_ANSWER_BYTES = 65_536
_ANSWER_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Letter:
    """One try of one event: the row's key, the bytes that go out, and how often (once, unless a fault doubles it)."""

    seq: int
    body: bytes
    copies: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a try ended; an empty `failure` is a 2xx."""

    seq: int
    failure: str


class Courier:
    """Delivers the site's events to one address: `start` it once per process, `wake` it for news."""

    def __init__(self, *, url: str, username: str, password: str) -> None:
        self._url = url
        self._client = httpx.Client(
            auth=httpx.BasicAuth(username, password) if username else None,
            headers={
                "Content-Type": "application/json;charset=UTF-8",
                "User-Agent": "billing-sandbox-webhook",
            },
            limits=httpx.Limits(max_connections=SENDERS, keepalive_expiry=_KEPT_ALIVE_SECONDS),
            timeout=TIMEOUT,
            trust_env=False,
        )
        self._letters: SimpleQueue[Letter] = SimpleQueue()
        self._news: SimpleQueue[Outcome | None] = SimpleQueue()
        self._woken = threading.Event()
        self._under_way: set[int] = set()
        self._unrecorded: list[Outcome] = []
        self._detours = webhooks.Detours()

    def start(self) -> None:
        """Start the threads, as daemons: what the process's end cuts off is still due in its row."""
        for number in range(SENDERS):
            threading.Thread(target=self._send_letters, name=f"webhook-sender-{number}", daemon=True).start()
        threading.Thread(target=self._keep_delivering, name="webhook-courier", daemon=True).start()
        self.wake()

    def wake(self) -> None:
        """Say that something may be due. Never blocks; many calls in a row cost one look."""
        if not self._woken.is_set():
            self._woken.set()
            self._news.put(None)

    def _keep_delivering(self) -> None:
        while True:
            try:
                self._gather(patience=self._patience())
                self._record()
                self._hand_out()
            except Exception:
                # Most likely a locked database. What is due and what was answered are kept: look again shortly.
                logger.exception("The webhook courier stumbled and goes on")
                connection.close()
                time.sleep(1)

    def _gather(self, *, patience: float) -> None:
        """Take what the senders reported: at once where there is news, else after `patience` seconds."""
        try:
            news = self._news.get(timeout=patience)
            while True:
                if news is not None:
                    self._unrecorded.append(news)
                news = self._news.get_nowait()
        except Empty:
            # Cleared before the rows are read: whoever wakes us from now on is read or asks again.
            self._woken.clear()

    def _patience(self) -> float:
        waiting = Event.objects.filter(webhook_status__in=_PENDING).exists()
        return _CLOCK_CHECK if waiting else _IDLE_CHECK

    def _record(self) -> None:
        if not self._unrecorded:
            return
        with writing():
            for outcome in self._unrecorded:
                record(outcome)
            self._detours.overtaken_by(outcome.seq for outcome in self._unrecorded)
        self._under_way.difference_update(outcome.seq for outcome in self._unrecorded)
        self._unrecorded.clear()

    def _hand_out(self) -> None:
        """Give the senders what is due; twice their number may lie ready, so that none waits for the rows."""
        room = 2 * SENDERS - len(self._under_way)
        if room <= 0:
            return
        for event in due_events().exclude(seq__in=self._under_way)[:room]:
            if copies := self._detours.copies(event):
                self._under_way.add(event.seq)
                body = json.dumps(events.render(event)).encode()
                self._letters.put(Letter(seq=event.seq, body=body, copies=copies))

    def _send_letters(self) -> None:
        while True:
            letter = self._letters.get()
            try:
                failure = self._post_all(letter)
            except Exception as error:
                # A sender that died would take its letter with it: whatever happened, it is a failed try.
                logger.exception("A webhook could not be sent")
                failure = type(error).__name__
            self._news.put(Outcome(seq=letter.seq, failure=failure))

    def _post_all(self, letter: Letter) -> str:
        for _copy in range(letter.copies):
            failure = self._post(letter.body)
            webhooks.sent(letter.seq, failure)
        return failure

    def _post(self, body: bytes) -> str:
        """Send once; the reason of the failure, or empty for a 2xx."""
        try:
            with self._client.stream("POST", self._url, content=body) as answer:
                said = _first_words(answer)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return f"{type(error).__name__}: {error}"[:_REASON_LENGTH]
        return "" if answer.is_success else f"HTTP {answer.status_code}: {said}"[:_REASON_LENGTH]


def start() -> None:
    """Start delivering, where an address is configured. Called once in the serving process."""
    if not settings.SANDBOX_WEBHOOK_URL:
        return
    courier = Courier(
        url=settings.SANDBOX_WEBHOOK_URL,
        username=settings.SANDBOX_WEBHOOK_USERNAME,
        password=settings.SANDBOX_WEBHOOK_PASSWORD,
    )
    events.recorded.connect(
        lambda **_news: courier.wake(), weak=False, dispatch_uid="billing.sandbox.delivery"
    )
    courier.start()


def due_events() -> QuerySet[Event]:
    """Events to be sent now, the oldest first."""
    due = Q(webhook_status="scheduled") | Q(webhook_status="re_scheduled", next_attempt_at__lte=clock.now())
    return Event.objects.filter(due).order_by("seq")


def record(outcome: Outcome) -> None:
    """Write down how a try ended and when the next one is; an event that is gone by now is let go."""
    event = Event.objects.filter(seq=outcome.seq, webhook_status__in=_PENDING).first()
    if event is None:
        return
    event.webhook_attempts += 1
    event.webhook_failure_reason = outcome.failure
    event.webhook_status, event.next_attempt_at = _state_after(event.webhook_attempts, outcome.failure)
    event.save(
        update_fields=["webhook_attempts", "webhook_failure_reason", "webhook_status", "next_attempt_at"]
    )


def redeliver(event: Event) -> None:
    """Send an event once more, with the full number of tries, whatever became of it before."""
    event.webhook_attempts, event.webhook_failure_reason = 0, ""
    event.webhook_status, event.next_attempt_at = "scheduled", clock.now()
    event.save(
        update_fields=["webhook_attempts", "webhook_failure_reason", "webhook_status", "next_attempt_at"]
    )
    transaction.on_commit(lambda: events.recorded.send(Event, event=event))


def _state_after(attempts: int, failure: str) -> tuple[str, int | None]:
    if not failure:
        return "succeeded", None
    if attempts > len(RETRY_DELAYS):
        return "failed", None
    return "re_scheduled", clock.now() + RETRY_DELAYS[attempts - 1]


def _first_words(answer: httpx.Response) -> str:
    """The beginning of an answer, read to its end where it is short, so that the connection lives on."""
    deadline, held = time.monotonic() + _ANSWER_SECONDS, bytearray()
    for piece in answer.iter_bytes():
        held += piece
        if len(held) > _ANSWER_BYTES or time.monotonic() > deadline:
            break
    return held[:_REASON_LENGTH].decode(errors="replace")
