"""Invoice PDFs: rendered once per invoice version, and downloaded by a signed link."""
