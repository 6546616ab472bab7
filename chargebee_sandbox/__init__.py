"""A server that stands in for a Chargebee test site (API v2, Product Catalog 2.0).

It is a Django project of its own, with its own settings, database, process, and clock; clients reach it over HTTP
alone. README.md says what it models and how to use it. Packages:

- ``api``: the HTTP side: authentication, form decoding, lists, errors, idempotency, the request limit;
- ``operations``: one function per API operation, registered by a decorator;
- ``engine``: what happens as time passes: terms, invoices, collection, dunning, scheduled changes;
- ``clock``: the site's time; ``event_log``: its events; ``webhook_delivery``: its outgoing webhooks;
- ``faults``: failures of requests and webhooks that were ordered;
- ``chargebee_js``: what a payer's browser loads: Chargebee.js, the card fields' frames, PayPal's page;
- ``console``: the pages for people; ``seeds``: the accounts of the demo.
"""
