"""The sandbox's pages for people: its clock, its accounts, its events and the mail the portal wrote."""
