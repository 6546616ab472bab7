"""Addresses a payer's browser loads from the provider, under ``/v2/``."""

from django.urls import path

from billing.sandbox.browser import pages, paypal, tokens

app_name = "browser"
urlpatterns = [
    path("chargebee.js", pages.script),
    path("frames/<str:name>", pages.frame_asset),
    path("card-field", pages.card_field),
    path("paypal-button", pages.paypal_button),
    path("tokens", tokens.create),
    path("payment_intents/<str:handle>/card", tokens.authorize_intent),
    path("payment_intents/<str:handle>/paypal", paypal.begin),
    path("paypal/<str:attempt>", paypal.page, name="paypal"),
    path("paypal/<str:attempt>/outcome", paypal.outcome),
]
