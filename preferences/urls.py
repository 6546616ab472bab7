"""The URL of the unsubscribe page, which is linked in emails."""

from django.urls import path

from preferences.views import unsubscribe_page

urlpatterns = [path("<str:token>", unsubscribe_page, name="unsubscribe")]
