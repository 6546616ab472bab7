"""The URLs of accounts below /api/."""

from django.urls import path

from accounts.api.activity import ActivityView, SentMailView
from accounts.api.profile import (
    BillingDetailsView,
    ExportView,
    ProfileView,
    RevokeOthersView,
    SessionsView,
    UpdateProfileView,
)
from accounts.api.views import LogoutView, SendOtpView, SiteView, VerifyOtpView

urlpatterns = [
    path("auth/send-otp", SendOtpView.as_view(), name="auth-send-otp"),
    path("auth/verify-otp", VerifyOtpView.as_view(), name="auth-verify-otp"),
    path("auth/logout", LogoutView.as_view(), name="auth-logout"),
    path("account/profile", ProfileView.as_view(), name="profile"),
    path("account/profile/update", UpdateProfileView.as_view(), name="update-profile"),
    path("account/billing-details", BillingDetailsView.as_view(), name="billing-details"),
    path("account/export", ExportView.as_view(), name="export"),
    path("account/sessions", SessionsView.as_view(), name="sessions"),
    path("account/sessions/revoke-others", RevokeOthersView.as_view(), name="revoke-other-sessions"),
    path("account/activity", ActivityView.as_view(), name="activity"),
    path("account/mails/<str:mail_id>", SentMailView.as_view(), name="sent-mail"),
    path("site", SiteView.as_view(), name="site"),
]
