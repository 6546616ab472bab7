"""What the journeys share: a running portal, actions on pages, states of screens, checks for barriers."""
