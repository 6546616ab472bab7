"""The numbers of operators' reports, summed by the database."""
