"""Invoice PDFs: pure functions from plain data to PDF bytes, without network and database."""
