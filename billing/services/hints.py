"""Telling the workers that there is work: a message is only a hint, the row it names is the work."""

from celery import current_app
from django.db import transaction

from portal import kill_points

# The sweep has come again by then, and has said once more what still waits. Longer than two machines' clocks differ:
# the one that reads a message tells by its own whether it is too old.
SAID_AGAIN_SECONDS = 80


def hint(task: str, *args: object, queue: str | None = None, expires: int | None = None) -> None:
    """Publish a message for a task of `billing.tasks` once the transaction is committed, in its own queue or another.

    A broker that is down fails nothing: the sweep finds the row within a minute. A message that nobody took up before
    it `expires`, after so many seconds, is dropped.
    """

    # With the settings' short retry policy: `retry=False` would leave it to kombu, which tries for six seconds.
    # A function, not a partial: Django names it in the log when the broker is down.
    def publish() -> None:
        kill_points.reached("message due")
        current_app.send_task(f"billing.tasks.{task}", args=args, queue=queue, expires=expires)

    transaction.on_commit(publish, robust=True)


def announce(task: str, *args: object, queue: str | None = None) -> None:
    """Publish a message that each sweep repeats while there is work, so that none piles up behind a long job."""
    hint(task, *args, queue=queue, expires=SAID_AGAIN_SECONDS)
