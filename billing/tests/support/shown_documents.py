"""The documents that an account is shown."""

from __future__ import annotations

import json
from typing import Any

from accounts.models import Account
from billing.api.documents import render_documents
from billing.mirror import documents
from billing.models import AccountDocument


def read_document(account: Account, kind: str) -> dict[str, Any]:
    """Return a document as a read answers with it."""
    body: dict[str, Any] = json.loads(documents.read_document(account, kind).body)
    return body


def read_documents(account: Account) -> dict[str, Any]:
    """Return all documents as reads answer with them."""
    return {kind: read_document(account, kind) for kind in AccountDocument.Kind.values}


def built_documents(account: Account) -> dict[str, Any]:
    """Return the documents as they would be rendered now."""
    return {kind: json.loads(text) for kind, text in render_documents(account).items()}
