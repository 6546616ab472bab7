"""The demo site: its catalogue, its coupons and ten people with a past, made by the sandbox's own operations.

Nothing is written into a history: the site is started afresh long ago, and what people did is done to it
while the clock travels to the present, so that every invoice is one the engine made. All instants are counted
back from the present, whatever day that is.
"""
