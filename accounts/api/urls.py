"""The paths of accounts, below /api/."""

from django.urls import path

from accounts.api.views import LogoutView, SendOtpView, SiteView, VerifyOtpView

urlpatterns = [
    path("auth/send-otp", SendOtpView.as_view(), name="auth-send-otp"),
    path("auth/verify-otp", VerifyOtpView.as_view(), name="auth-verify-otp"),
    path("auth/logout", LogoutView.as_view(), name="auth-logout"),
    path("site", SiteView.as_view(), name="site"),
]
