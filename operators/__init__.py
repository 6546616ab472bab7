"""How operators get into the admin: from which networks, with which factors, and how often they may be wrong."""
