"""Outgoing webhooks: each event is POSTed to the site's endpoint until it answers 2xx or the retries run out.

The state of delivery is in the event's row, so a restart loses nothing. One thread owns the rows (reads due events,
records results); a few sender threads own the network, so that a hung receiver delays neither the API nor other
events. As documented: JSON, Basic auth, no signature, no order, seven retries, at least once (a process killed before
it records an answer sends again).

The first attempt is sent at once, whatever the site's clock says. Retries wait on the site's clock, counted from the
failed attempt: whoever travels a month past a receiver that was down for a moment loses no event.
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

from chargebee_sandbox import clock, event_log, webhook_endpoint
from chargebee_sandbox.engine.write_lock import hold_write_lock
from chargebee_sandbox.faults import webhook_faults
from chargebee_sandbox.models import Event
from chargebee_sandbox.webhook_endpoint import WebhookEndpoint

logger = logging.getLogger(__name__)

RETRY_DELAYS = (120, 360, 1800, 3600, 18_000, 86_400, 172_800)
"""Seconds of the site's clock before each retry; when the last one fails, delivery has failed."""

SENDER_THREADS = 4
REQUEST_TIMEOUT = httpx.Timeout(10.0, connect=2.0)
_PENDING_STATUSES = ("scheduled", "re_scheduled")
# While a retry waits, how often to check the site's clock, which can move at any moment (real seconds).
_CLOCK_CHECK_SECONDS = 0.25
_IDLE_CHECK_SECONDS = 5.0
# Shorter than servers keep an idle connection (gunicorn: two seconds), so that none is reused just as it closes.
_KEEPALIVE_SECONDS = 1.0
_REASON_LENGTH = 300
_MAX_ANSWER_BYTES = 65_536
_MAX_ANSWER_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """An attempt to send an event: its row's key, where to, the body, and 1 copy, or 2 because of a fault."""

    seq: int
    endpoint: WebhookEndpoint
    body: bytes
    copies_to_send: int


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """How an attempt ended; an empty `failure` is a 2xx."""

    seq: int
    failure: str


class WebhookCourier:
    """Delivers the site's events: call `start_threads` once per process, `wake_up` for each event to be sent."""

    def __init__(self) -> None:
        self._client = httpx.Client(
            headers={
                "Content-Type": "application/json;charset=UTF-8",
                "User-Agent": "billing-sandbox-webhook",
            },
            limits=httpx.Limits(max_connections=SENDER_THREADS, keepalive_expiry=_KEEPALIVE_SECONDS),
            timeout=REQUEST_TIMEOUT,
            trust_env=False,
        )
        self._attempts: SimpleQueue[DeliveryAttempt] = SimpleQueue()
        self._results: SimpleQueue[AttemptResult | None] = SimpleQueue()
        self._woken = threading.Event()
        self._in_progress: set[int] = set()
        self._unrecorded: list[AttemptResult] = []
        self._faults = webhook_faults.DeliveryFaults()

    def start_threads(self) -> None:
        """Start the threads as daemons: an attempt cut off by the end of the process is still due in its row."""
        for number in range(SENDER_THREADS):
            threading.Thread(target=self._send_attempts, name=f"webhook-sender-{number}", daemon=True).start()
        threading.Thread(target=self._keep_delivering, name="webhook-courier", daemon=True).start()
        self.wake_up()

    def wake_up(self) -> None:
        """Check soon for due events. Never blocks; many calls in a row cause one check."""
        if not self._woken.is_set():
            self._woken.set()
            self._results.put(None)

    def _keep_delivering(self) -> None:
        while True:
            try:
                self._gather_results(patience=self._poll_interval())
                self._record_results()
                self._hand_out_attempts()
            except Exception:
                # Most likely a locked database. Due events and unrecorded results are kept: try again shortly.
                logger.exception("Webhook delivery failed and continues")
                connection.close()
                time.sleep(1)

    def _gather_results(self, *, patience: float) -> None:
        """Collect the senders' results; without any, wait up to `patience` seconds."""
        try:
            result = self._results.get(timeout=patience)
            while True:
                if result is not None:
                    self._unrecorded.append(result)
                result = self._results.get_nowait()
        except Empty:
            # Cleared before the rows are read: a later wake_up causes another check.
            self._woken.clear()

    def _poll_interval(self) -> float:
        waiting = Event.objects.filter(webhook_status__in=_PENDING_STATUSES).exists()
        return _CLOCK_CHECK_SECONDS if waiting else _IDLE_CHECK_SECONDS

    def _record_results(self) -> None:
        if not self._unrecorded:
            return
        with hold_write_lock():
            for result in self._unrecorded:
                record_result(result)
            self._faults.release_overtaken(result.seq for result in self._unrecorded)
        self._in_progress.difference_update(result.seq for result in self._unrecorded)
        self._unrecorded.clear()

    def _hand_out_attempts(self) -> None:
        """Queue due events for the senders, up to twice as many as senders, so that none waits for the database."""
        room = 2 * SENDER_THREADS - len(self._in_progress)
        endpoint = webhook_endpoint.find_endpoint()
        if room <= 0 or endpoint is None:
            return
        for event in due_events().exclude(seq__in=self._in_progress)[:room]:
            if copies := self._faults.copies_to_send(event):
                self._in_progress.add(event.seq)
                body = json.dumps(event_log.render_event(event)).encode()
                self._attempts.put(DeliveryAttempt(event.seq, endpoint, body, copies))

    def _send_attempts(self) -> None:
        while True:
            attempt = self._attempts.get()
            try:
                failure = self._post_copies(attempt)
            except Exception as error:
                # If the thread died, the attempt would never get a result: any error is a failed attempt.
                logger.exception("A webhook could not be sent")
                failure = type(error).__name__
            self._results.put(AttemptResult(seq=attempt.seq, failure=failure))

    def _post_copies(self, attempt: DeliveryAttempt) -> str:
        for _copy in range(attempt.copies_to_send):
            failure = self._post_once(attempt.endpoint, attempt.body)
            webhook_faults.record_attempt(attempt.seq, failure)
        return failure

    def _post_once(self, endpoint: WebhookEndpoint, body: bytes) -> str:
        """Send the request; return the reason of the failure, or empty for a 2xx."""
        auth = httpx.BasicAuth(endpoint.username, endpoint.password) if endpoint.username else None
        try:
            with self._client.stream("POST", endpoint.url, content=body, auth=auth) as answer:
                excerpt = _answer_excerpt(answer)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return f"{type(error).__name__}: {error}"[:_REASON_LENGTH]
        return "" if answer.is_success else f"HTTP {answer.status_code}: {excerpt}"[:_REASON_LENGTH]


def start_delivery() -> None:
    """Start delivery. Called once in the serving process."""
    courier = WebhookCourier()

    def wake_courier(event: Event, **_signal: object) -> None:
        if event.webhook_status == "scheduled":
            courier.wake_up()

    event_log.event_recorded.connect(wake_courier, weak=False, dispatch_uid="chargebee_sandbox.webhook_delivery")
    courier.start_threads()


def due_events() -> QuerySet[Event]:
    """Return the events to be sent now, oldest first."""
    due = Q(webhook_status="scheduled") | Q(webhook_status="re_scheduled", next_attempt_at__lte=clock.now_seconds())
    return Event.objects.filter(due).order_by("seq")


def record_result(result: AttemptResult) -> None:
    """Record the result of an attempt and schedule the next; do nothing if the event is no longer pending."""
    event = Event.objects.filter(seq=result.seq, webhook_status__in=_PENDING_STATUSES).first()
    if event is None:
        return
    event.webhook_attempts += 1
    event.webhook_failure_reason = result.failure
    event.webhook_status, event.next_attempt_at = _state_after(event.webhook_attempts, result.failure)
    event.save(update_fields=["webhook_attempts", "webhook_failure_reason", "webhook_status", "next_attempt_at"])


def redeliver_event(event: Event) -> None:
    """Send an event again with the full number of retries, whatever its status."""
    event.webhook_attempts, event.webhook_failure_reason = 0, ""
    event.webhook_status, event.next_attempt_at = "scheduled", clock.now_seconds()
    event.save(update_fields=["webhook_attempts", "webhook_failure_reason", "webhook_status", "next_attempt_at"])
    transaction.on_commit(lambda: event_log.event_recorded.send(Event, event=event))


def _state_after(attempts: int, failure: str) -> tuple[str, int | None]:
    if not failure:
        return "succeeded", None
    if attempts > len(RETRY_DELAYS):
        return "failed", None
    return "re_scheduled", clock.now_seconds() + RETRY_DELAYS[attempts - 1]


def _answer_excerpt(answer: httpx.Response) -> str:
    """Return the beginning of an answer; a short one is read to its end, which keeps the connection alive."""
    deadline, content = time.monotonic() + _MAX_ANSWER_SECONDS, bytearray()
    for chunk in answer.iter_bytes():
        content += chunk
        if len(content) > _MAX_ANSWER_BYTES or time.monotonic() > deadline:
            break
    return content[:_REASON_LENGTH].decode(errors="replace")
