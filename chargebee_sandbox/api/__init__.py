"""The HTTP API: authentication, parameters, lists, errors, idempotency, request limit, and routing."""
