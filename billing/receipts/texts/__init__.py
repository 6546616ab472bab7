"""The texts of receipts and notices, one module per topic."""
