"""The only speaker of Chargebee: dataclasses in and out, time-outs, idempotency keys, errors translated."""
