"""URLs that a payer's browser loads from the provider, under ``/v2/``."""

from django.urls import path

from chargebee_sandbox.chargebee_js import card_fields, challenges, pages, paypal

app_name = "browser"
urlpatterns = [
    path("chargebee.js", pages.serve_script),
    path("frames/<str:name>", pages.serve_frame_asset),
    path("card-field", pages.serve_card_field),
    path("master", pages.serve_master),
    path("stored-card", pages.serve_stored_card),
    path("challenges/<str:attempt>", challenges.opening_page),
    path("issuer/<str:attempt>", challenges.issuer_page),
    path("tokens", card_fields.create_token),
    path("payment_intents/<str:handle>", card_fields.describe_intent),
    path("payment_intents/<str:handle>/card", card_fields.authorize_intent),
    path("payment_intents/<str:handle>/stored-card", card_fields.authorize_intent_with_stored_card),
    path("payment_intents/<str:handle>/paypal", paypal.describe_account),
    path("payment_intents/<str:handle>/paypal/attempts", paypal.begin_attempt),
    path("paypal_attempts/<str:attempt>/finish", paypal.finish_attempt),
]
