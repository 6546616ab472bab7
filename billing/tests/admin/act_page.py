"""An operator who performs acts on an account through the admin's pages."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from accounts.models import Account, AccountEvent, OutgoingMail, User
from billing.models import Command

REASON = "She called"


class ActPage:
    """An operator who opens an act on an account, reads the question, and confirms it."""

    def __init__(self, account: Account, group: str = "support", name: str = "sam") -> None:
        self.account = account
        operator = User.objects.create_user(name, password="correct horse battery staple", is_staff=True)
        operator.groups.add(Group.objects.get(name=group))
        self.browser = Client()
        self.browser.force_login(operator)

    def address(self, name: str) -> str:
        """Return the URL of an act's page."""
        return reverse("admin:accounts_account_act", args=[self.account.pk, name])

    def ask(self, name: str, *, about: str = "", **choices: Any) -> Any:
        """Open the question of an act with these choices."""
        chosen = {"chosen": "1", **choices} if choices else {}
        return self.browser.get(self.address(name), {"about": about, **chosen}, follow=True)

    def confirm(self, question: Any, **changes: str) -> str:
        """Submit the confirmation; return the text of the page that follows."""
        fields: dict[str, list[str]] = {}
        form = question.content.decode().split('<form method="post"')[-1]
        for field in re.findall(r'<input type="hidden"[^>]*>', form):
            name, value = re.search(r'name="(\w+)"', field), re.search(r'value="([^"]*)"', field)
            if name and value:
                fields.setdefault(name[1], []).append(unescape(value[1]))
        data = {**fields, "reason": REASON, **changes}
        answer = self.browser.post(question.request["PATH_INFO"], data, follow=True)
        return unescape(answer.content.decode())

    def perform(self, name: str, *, about: str = "", **choices: Any) -> str:
        """Ask and confirm."""
        return self.confirm(self.ask(name, about=about, **choices))


def figures(question: Any) -> dict[str, str]:
    """Return the amounts that a question shows, by label."""
    rows = re.findall(r"<div><dt>([^<]+)</dt><dd>([^<]+)</dd></div>", question.content.decode())
    return {unescape(label): amount for label, amount in rows}


def assert_recorded(kind: str) -> None:
    """Check the actor and the reason of an act's command, its mail, its activity, and the operators' log."""
    command = Command.objects.get(actor="support:sam")
    assert (command.kind, command.reason, command.state) == (kind, REASON, "succeeded")
    events = AccountEvent.objects.filter(actor="support:sam")
    assert events.count() == 1
    assert OutgoingMail.objects.filter(kind="receipt", account=command.account).exists()
    assert not any(REASON in str(mail.context) for mail in OutgoingMail.objects.all())
    assert f"Reason: {REASON}" in LogEntry.objects.get().change_message
