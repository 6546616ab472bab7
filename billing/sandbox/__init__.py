"""An embedded server that behaves as a Chargebee test site (API v2, Product Catalog 2.0).

It is a small Django project of its own: own settings, own database, own process, own clock. The portal meets it
only over HTTP, through the official SDK. Rooms:

- ``wire``: what travels: authentication, form decoding, filters, pages, errors, idempotency, the request limit;
- ``operations``: one function per API operation, registered by decorator;
- ``engine``: what happens as time passes: terms, invoices, collection, dunning, scheduled changes;
- ``clock``: the site's time, real or travelled;
- ``events``: the log of what happened, and the feed of outgoing webhooks.
"""
