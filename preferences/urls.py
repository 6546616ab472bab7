"""The one page that is no screen of the app: its link is in emails."""

from django.urls import path

from preferences.views import unsubscribe

urlpatterns = [path("<str:token>", unsubscribe, name="unsubscribe")]
