"""What goes wrong on purpose.

The faults that were ordered (``queue``), what each does to a request (``requests``) or to the delivery of an event
(``webhooks``), and what came of those that struck (``journal``).

All of it is this process's memory: a sandbox that is restarted or started afresh has no faults, and without any every
request is answered, and every event sent, as ever.
"""
