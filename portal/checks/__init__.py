"""System checks of the settings; `portal.apps` imports the modules that register them."""
