"""Adding, updating and removing payment methods, and collecting what is past due."""
