"""URLs that a payer's browser loads from the provider, under ``/v2/``."""

from django.urls import path

from chargebee_sandbox.chargebee_js import card_fields, pages, paypal

app_name = "browser"
urlpatterns = [
    path("chargebee.js", pages.serve_script),
    path("frames/<str:name>", pages.serve_frame_asset),
    path("card-field", pages.serve_card_field),
    path("paypal-button", pages.serve_paypal_button),
    path("tokens", card_fields.create_token),
    path("payment_intents/<str:handle>/card", card_fields.authorize_intent),
    path("payment_intents/<str:handle>/paypal", paypal.begin_paypal_attempt),
    path("paypal/<str:attempt>", paypal.approval_page, name="paypal"),
    path("paypal/<str:attempt>/outcome", paypal.attempt_outcome),
]
