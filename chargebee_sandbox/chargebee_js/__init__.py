"""What a payer's browser loads from the provider: Chargebee.js, and the frames of its card fields and requests.

- ``assets/script``: the parts of ``/v2/chargebee.js``, which runs in the merchant's page and never sees a card number;
- ``assets/frames``: the scripts of the frames, on this origin; the number frame collects the values of its siblings
  and exchanges them for a token; only pages of the merchant's origin can embed the frames and talk to them;
- ``card_fields`` and ``paypal``: the endpoints of the frames; ``pages``: the documents.

For PayPal, Chargebee.js injects scripts of other origins into the merchant's page; see
``chargebee_sandbox.payment_services``.

Expiry dates are compared with the machine's real date, in the frame and here, because card networks know nothing of a
site's time machine. A card that the gateway declines is declined when its token is used, not when it is created.
"""
