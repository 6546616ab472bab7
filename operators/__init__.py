"""How operators sign in to the admin: allowed networks, second factor and lockout."""
