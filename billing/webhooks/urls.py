"""The URL the provider posts its events to."""

from django.urls import path

from billing.webhooks.views import receive_event

urlpatterns = [path("chargebee", receive_event, name="chargebee-webhook")]
