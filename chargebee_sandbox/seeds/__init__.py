"""The demo site: a catalog, coupons, and twelve customers with a history, made by the sandbox's own operations.

No history is written by hand: the site is started afresh in the past, and the customers' actions are replayed while the
clock travels to the present, so that the engine makes every invoice. All instants are counted back from the present.
"""
