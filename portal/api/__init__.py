"""What every endpoint has in common: the error envelope, the case of keys, the headers, the schema."""
