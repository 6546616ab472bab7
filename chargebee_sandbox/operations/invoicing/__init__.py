"""Operations on invoices, credit notes, and promotional credits."""
