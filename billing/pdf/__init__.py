"""PDFs of invoices and yearly statements: pure functions from plain data to PDF bytes, without network and database."""
