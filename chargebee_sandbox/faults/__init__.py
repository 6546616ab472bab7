"""Faults on purpose.

``fault_queue`` holds the faults that were ordered, ``request_faults`` and ``webhook_faults`` apply them to requests and
to the delivery of events, ``strike_log`` records the strikes and what clients did next.

All state is in the process's memory: a sandbox that is restarted or started afresh has no faults, and without faults
every request is answered and every event is sent.
"""
