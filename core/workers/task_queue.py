"""Enqueue Celery tasks. A message is only a hint: the row that it names is the work."""

from __future__ import annotations

from celery import current_app
from django.db import transaction

# By then the sweep has announced the work again. Longer than machines' clocks may differ, since the worker decides by
# its own clock whether a message has expired.
TASK_EXPIRY_SECONDS = 80


def enqueue_task(task: str, *args: object, queue: str | None = None, expires: int | None = None) -> None:
    """Enqueue a task by its full name when the transaction commits.

    If the broker is down, nothing fails: the sweep finds the row within a minute. The message is dropped if no worker
    has received it after `expires` seconds. `queue` overrides the task's own.
    """

    # Not `retry=False`: kombu would then retry for six seconds, instead of the settings' short policy.
    # A function, not a partial: Django logs a robust hook's exception with the hook's `__qualname__`.
    def publish_task() -> None:
        current_app.send_task(task, args=args, queue=queue, expires=expires)

    transaction.on_commit(publish_task, robust=True)


def enqueue_expiring_task(task: str, *args: object, queue: str | None = None) -> None:
    """Enqueue a task that each sweep repeats, with an expiry, so that messages do not pile up behind a long job."""
    enqueue_task(task, *args, queue=queue, expires=TASK_EXPIRY_SECONDS)
