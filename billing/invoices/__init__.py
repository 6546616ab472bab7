"""PDFs of invoices and yearly statements: rendered once per version, and downloaded by a signed link."""
