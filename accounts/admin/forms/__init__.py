"""Form fields that several pages of the admin share."""
