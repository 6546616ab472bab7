"""What a payer's browser meets of PayPal, Braintree and Stripe: scripts in the merchant's page, frames, and a window.

Chargebee.js injects these scripts into the page that embeds it, from origins of their own, so a page's policy must
allow them. Here each origin is a name of this machine, which browsers resolve without set-up (RFC 6761, section 6.3):

- ``www.paypal.com`` is ``www.paypal.localhost``: the SDK of PayPal Commerce, the button's frame, the payer's window;
- ``www.paypalobjects.com`` is ``www.paypalobjects.localhost``: PayPal Express Checkout's script, and pictures;
- ``js.braintreegateway.com`` and ``api.braintreegateway.com`` likewise;
- ``js``, ``api`` and ``hooks.stripe.com``, ``songbird`` and ``centinelapi.cardinalcommerce.com``: 3-D Secure with
  Stripe, and with Braintree, whose module loads Cardinal's script.

``hosts`` says what each name serves, and that nothing else serves it; ``assets/host`` holds the scripts that run in the
merchant's page, ``assets/frames`` those of the button's frame and of the window.
"""
