"""Sending a task's message when the transaction around it is committed."""

from __future__ import annotations

from typing import Any

from celery.app.task import Task
from django.db import transaction

from portal import kill_points


def enqueue(task: Task[Any, Any], *args: Any) -> None:
    """Publish the task's message on commit.

    A broker that is down fails nothing: the message is a hint, the row it names is the work, and the sweep
    finds it.
    """

    # With the settings' short retry policy: `retry=False` would leave it to kombu, which tries for six seconds.
    # A function and not a partial: Django logs what a robust hook raises under the hook's `__qualname__`.
    def publish() -> None:
        kill_points.reached("message due")
        task.apply_async(args=args)

    transaction.on_commit(publish, robust=True)
