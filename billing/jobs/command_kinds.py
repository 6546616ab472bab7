"""All kinds of commands: a worker settles commands of every kind that web processes left open."""

from collections.abc import Mapping

from billing.changes import (
    billing_period,
    cancellation,
    customer_addresses,
    pauses,
    plan_selection,
    refunds,
    resumes,
    undo,
)
from billing.changes.discounts import bundle_coupons, coupons, free_month
from billing.commands.command_kind import CommandKind
from billing.payment_methods import changes as payment_methods
from billing.payment_methods.collection import COLLECT_DUE
from billing.receipts.delivery import ReceiptComposer

COMMAND_KINDS: Mapping[str, CommandKind] = {
    kind.name: kind
    for kind in (
        plan_selection.ADD_REMOVE_SERVICE,
        *billing_period.KINDS.values(),
        pauses.PAUSE,
        pauses.REMOVE_SCHEDULED_PAUSE,
        resumes.RESUME,
        cancellation.CANCEL,
        undo.UNDO_CHANGE,
        undo.UNDO_CANCELLATION,
        coupons.REDEEM_CODE,
        free_month.CLAIM_FREE_MONTH,
        bundle_coupons.ALIGN,
        *payment_methods.KINDS.values(),
        COLLECT_DUE,
        customer_addresses.CORRECT,
        refunds.REFUND_INVOICE,
        refunds.GIVE_CREDIT,
    )
}
RECEIPT_COMPOSERS: Mapping[str, ReceiptComposer] = {
    kind.name: kind.compose_receipt for kind in COMMAND_KINDS.values() if kind.compose_receipt is not None
}
