"""Every task goes to a queue that a worker consumes."""

import pytest

from dev.run import portal_processes
from portal.celery import app


@pytest.fixture(scope="module")
def task_names():
    """Return the names of all tasks of the applications."""
    app.loader.import_default_modules()
    return {name for name in app.tasks if name.startswith(("accounts.", "billing.", "operators."))}


def consumed_queues():
    workers = [command for command in portal_processes().values() if "worker" in command]
    return {queue for command in workers for queue in command[command.index("-Q") + 1].split(",")}


def queue_for_task(task):
    return app.amqp.router.route({}, task)["queue"].name


def test_every_beat_entry_names_an_existing_task(task_names):
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= task_names


def test_every_queue_has_a_worker_in_the_demo(task_names):
    assert {queue_for_task(task) for task in task_names} == consumed_queues()


def test_sign_in_codes_have_a_worker_and_a_queue_of_their_own(task_names):
    codes = {task for task in task_names if queue_for_task(task) == "codes"}

    assert codes == {"accounts.tasks.send_login_code", "accounts.tasks.send_due_codes"}
    assert [command for command in portal_processes().values() if "codes" in ",".join(command).split(",")] == [
        portal_processes()["codes"]
    ]


@pytest.mark.parametrize("long_task", ["run_job", "process_due_webhooks", "send_paced_mails"])
def test_neither_mail_nor_pdfs_queue_behind_long_tasks(long_task):
    queues = {queue_for_task(name) for name in ("accounts.tasks.send_mail", "billing.tasks.make_invoice_pdf")}

    assert len(queues) == 2
    assert queue_for_task(f"billing.tasks.{long_task}") not in queues


@pytest.mark.shows("reliability-16")
def test_a_message_is_acknowledged_after_its_task_has_run(settings):
    assert app.conf.task_acks_late
    assert app.conf.task_reject_on_worker_lost
    assert app.conf.worker_prefetch_multiplier == 1
    assert app.conf.task_ignore_result
