"""The sandbox's pages for people: its clock, accounts, events, faults, and the portal's mail."""
