"""What a payer's browser loads from the provider: Chargebee.js, the frames of its card fields, and PayPal's page.

- ``assets/script``: the parts of ``/v2/chargebee.js``, which runs in the portal's page and never sees a card number;
- ``assets/frames``: what runs in the frames, on this origin; the number frame collects what its siblings hold and
  exchanges it for a token; pages of the portal's origin alone may embed frames and speak to them;
- ``tokens`` and ``paypal``: the addresses the frames and PayPal's page send to; ``pages``: the documents themselves.

Where the provider's documents are silent: a token lives half an hour of the site's clock. Expiry dates are held against
the machine's real date, in the frame and here, since no card network knows of a site's time machine. A card that is to
be refused is refused when its token is used, not when it is made.
"""
