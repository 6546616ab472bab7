"""What an account has paid and owes: methods, invoices, failed payments and refunds."""
