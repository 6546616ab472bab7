"""What operators fill in: signing in, and proving that it is still them."""

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

LONGEST_CODE = 40


class SignInForm(AdminAuthenticationForm):
    """Name, password and code at once. What was wrong of the three is not told, and all are counted alike."""

    code = forms.CharField(
        max_length=LONGEST_CODE,
        help_text="The six digits that your app shows, or a recovery code.",
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "autocapitalize": "none"}),
    )
    error_messages = {
        "invalid_login": "That was not right. Capitals count. Wait a little after several tries.",
        "inactive": "That was not right. Capitals count. Wait a little after several tries.",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.SECOND_FACTOR:
            del self.fields["code"]

    def confirm_login_allowed(self, user: User) -> None:
        """Check the rest, once the password is right. Raises ValidationError."""
        super().confirm_login_allowed(user)
        if settings.SECOND_FACTOR:
            self._verify(user)

    def _verify(self, user: User) -> None:
        device = second_factor.verify(user, self.cleaned_data.get("code", ""))
        if device is None:
            # Counts towards the lock-out; the password alone was right, so Django did not say so.
            credentials = {"username": user.get_username()}
            user_login_failed.send(sender=__name__, credentials=credentials, request=self.request)
            raise self.get_invalid_login_error()
        # django-otp takes it from here into the session.
        user.otp_device = device  # type: ignore[attr-defined]


class PasswordForm(forms.Form):
    """Asks for the operator's password again."""

    password = forms.CharField(
        label="Your password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def clean_password(self) -> str:
        """Take the password if it is the operator's; wrong ones count as at the door. Raises ValidationError."""
        password: str = self.cleaned_data["password"]
        name = self.request.user.get_username()
        if authenticate(self.request, username=name, password=password) is None:
            raise ValidationError("That is not your password.")
        return password


class EnrolForm(PasswordForm):
    """Asks for the password and for what the new app shows."""

    code = forms.CharField(
        label="The six digits that the app shows",
        max_length=LONGEST_CODE,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"}),
    )
    field_order = ("code", "password")
