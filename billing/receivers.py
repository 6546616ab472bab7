"""Billing's receivers of the signals that accounts and the mirror publish."""

from datetime import datetime
from typing import Any

from accounts import signals
from accounts.brands import site
from accounts.mail import queue
from accounts.models import Account
from accounts.profile import events, export
from billing import clock
from billing.changes import customer_names
from billing.changes.discounts import bundle_coupons
from billing.health import provider_metrics
from billing.mirror import account_import, documents, erasure
from billing.mirror.signals import invoice_written, pause_superseded, subscriptions_written
from billing.models import Invoice, PauseSchedule, Subscription
from billing.queries.export import export_part
from billing.receipts import delivery, late_receipts, notices, payment_mails
from billing.receipts.texts import pauses
from core.workers.task_queue import enqueue_task


def connect_receivers() -> None:
    """Register the receivers; called once, when the app is ready."""
    signals.address_entered.connect(find_account, dispatch_uid="billing.find_account")
    signals.account_signed_in.connect(queue_account_resync, dispatch_uid="billing.refresh_account")
    signals.profile_pre_save.connect(rename_customer, dispatch_uid="billing.rename_customer")
    signals.profile_post_save.connect(rebuild_profile_documents, dispatch_uid="billing.show_profile")
    signals.account_erasing.connect(erase_billing_data, dispatch_uid="billing.erase_account")
    subscriptions_written.connect(queue_bundle_alignment, dispatch_uid="billing.align_bundle")
    pause_superseded.connect(notify_superseded_pause, dispatch_uid="billing.notify_superseded_pause")
    invoice_written.connect(tell_payment, dispatch_uid="billing.tell_payment")
    export.register_export_part("billing", export_part)
    provider_metrics.connect_signals()
    site.register_clock_offset(clock.clock_offset)
    queue.register_preparation(notices.MAIL_KIND, notices.prepare_notice)
    queue.register_preparation(delivery.MAIL_KIND, late_receipts.prepare_receipt)
    queue.register_preparation(payment_mails.MAIL_KIND, payment_mails.prepare_payment_mail)


def find_account(email: str, typed_email: str, **_: Any) -> Account | None:
    """Return the account that an address signs in to, as the provider has it. Raises NotSent."""
    return account_import.find_signing_in_account(email, typed_email=typed_email)


def queue_account_resync(account: Account, **_: Any) -> None:
    """Enqueue a resync of the account after a sign-in."""
    enqueue_task("billing.tasks.resync_account", account.pk)


def rename_customer(account: Account, first_name: str, last_name: str, key: str, **_: Any) -> None:
    """Rename the provider's customer before the profile is saved; an exception prevents the save."""
    customer_names.rename_customer(account, first_name=first_name, last_name=last_name, key=key)


def rebuild_profile_documents(account: Account, **_: Any) -> None:
    """Rebuild the documents with the saved names."""
    documents.rebuild_documents(account)


def erase_billing_data(account: Account, **_: Any) -> None:
    """Delete billing's data on the account; an exception prevents the erasure."""
    erasure.erase_billing_data(account)


def queue_bundle_alignment(account: Account, **_: Any) -> None:
    """Enqueue the alignment of the account's bundle coupons if they have become wrong."""
    if bundle_coupons.pending_swaps(account):
        enqueue_task("billing.tasks.align_bundle", account.pk)


def tell_payment(invoice: Invoice, before: dict[str, Any] | None, now: datetime, **_: Any) -> None:
    """Queue the mail about a bill that the provider collected by itself, or failed to."""
    payment_mails.queue_payment_mail(invoice, before, now=now)


def notify_superseded_pause(subscription: Subscription, schedule: PauseSchedule, now: datetime, **_: Any) -> None:
    """Tell the subscriber that a scheduled pause is gone at the provider."""
    account = subscription.customer.account
    if account is None:
        return
    receipt = pauses.pause_superseded_notice(subscription)
    event = events.record_event(account, kind="pause_superseded", text=receipt.title, actor="system", at=now)
    queue.queue_mail(
        kind="receipt",
        to=account.email,
        account=account,
        context=receipt.mail_context(),
        dedupe_key=f"pause-superseded:{schedule.pk}",
        event=event,
    )
