"""The URLs of the preferences below /api/."""

from django.urls import path

from preferences.api.views import PreferencesView

urlpatterns = [
    path("account/communicationPreferences", PreferencesView.as_view(), name="communication-preferences"),
]
