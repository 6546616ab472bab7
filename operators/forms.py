"""The forms for signing in, confirming the password and enrolling an app."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth import authenticate
from django.contrib.auth.signals import user_login_failed
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from accounts.models import User
from operators import second_factor

MAX_CODE_LENGTH = 40


class SignInForm(AdminAuthenticationForm):
    """User name, password and code in one form. The error does not tell which was wrong; all count as failures."""

    code = forms.CharField(
        max_length=MAX_CODE_LENGTH,
        help_text="The six digits from your app, or a recovery code",
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "autocapitalize": "none"}),
    )
    error_messages = {
        "invalid_login": "That isn't right. Check capital letters, and wait a moment after several tries.",
        "inactive": "That isn't right. Check capital letters, and wait a moment after several tries.",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.SECOND_FACTOR:
            del self.fields["code"]

    def confirm_login_allowed(self, user: User) -> None:
        """Check the account and the code after the password. Raises ValidationError."""
        super().confirm_login_allowed(user)
        if settings.SECOND_FACTOR:
            self._verify_second_factor(user)

    def _verify_second_factor(self, user: User) -> None:
        device = second_factor.verify_code(user, self.cleaned_data.get("code", ""))
        if device is None:
            # Counts toward the lockout. Django does not send the signal, because the password was right.
            credentials = {"username": user.get_username()}
            user_login_failed.send(sender=__name__, credentials=credentials, request=self.request)
            raise self.get_invalid_login_error()
        # django-otp stores the device in the session on login.
        user.otp_device = device  # type: ignore[attr-defined]


class PasswordForm(forms.Form):
    """Asks for the operator's password as confirmation."""

    password = forms.CharField(
        label="Your password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def clean_password(self) -> str:
        """Return the password if it is right; a wrong one counts toward the lockout. Raises ValidationError."""
        password: str = self.cleaned_data["password"]
        name = self.request.user.get_username()
        if authenticate(self.request, username=name, password=password) is None:
            raise ValidationError("That isn't your password.")
        return password


class EnrollForm(PasswordForm):
    """Asks for the password and for a code of the new app."""

    code = forms.CharField(
        label="Six digits from the app",
        max_length=MAX_CODE_LENGTH,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"}),
    )
    field_order = ("code", "password")
