"""An embedded server that behaves as a Chargebee test site (API v2, Product Catalog 2.0).

It is a small Django project of its own: own settings, own database, own process, own clock. The portal meets it
only over HTTP, through the official SDK. Rooms:

- ``wire``: what travels: authentication, form decoding, filters, pages, errors, idempotency, the request limit;
- ``faults``: what goes wrong because it was ordered, with requests and with webhooks;
- ``operations``: one function per API operation, registered by decorator;
- ``engine``: what happens as time passes: terms, invoices, collection, dunning, scheduled changes;
- ``clock``: the site's time, real or travelled;
- ``events``: the log of what happened, and the feed of outgoing webhooks (``delivery``);
- ``browser``: what a payer's browser loads: Chargebee.js, the frames of its card fields, PayPal's page;
- ``console``: its own pages; ``seeds``: the accounts of the demo.

Where the provider's documents are silent, or leave it to a site's settings, this site is set as follows.

- A pause begins immediately unless an option is named, and credits nothing. A wrong state is 409.
- Resuming after the end of the term begins a new term at that instant, and billing dates are counted from it. A
  decline refuses a resumption asked for by the API (nothing changes); a scheduled one goes through and is dunned.
- Starting a subscription is refused when its first charge fails; renewals and ended trials go on, with the invoice due.
- A failed charge is tried again a day later, six times by default; then the invoice is ``not_paid`` and the
  subscription stays active. An end that is due goes before a pause, a pause before a renewal.
- Cancelling at once cuts the term and credits it only when asked to. Credits pay later invoices by themselves.
- A change whose charge fails is refused and undone; SANDBOX_UNPAID_CHANGES leaves it unpaid instead. It keeps a
  scheduled end (which moves to the end of a new term) and a scheduled pause.
- Coupons alone charge nothing: they wait for the next invoice, a change's included. One that is held already is a
  ``duplicate_entry``; one that is taken off stays redeemed; a scheduled change that is taken back releases its own.
- A subscription that ends or pauses with its term takes no scheduled change (409); an end that is placed drops one.
- Promotional credits are the last discount of an invoice; refundable credits then pay it, the oldest first.
- Discounts of one kind apply one after the other, each to what the ones before have left.
- A token and an intent live half an hour. One that is used or over is a 400; the primary source's role is a 409.
- A parameter that would be ignored is refused instead, so that a mistake shows.
"""
