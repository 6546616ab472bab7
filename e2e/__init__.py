"""Browser tests of the portal as subscribers and operators use it."""
