"""The billing engine: what happens to subscriptions and invoices as the site's clock moves."""
