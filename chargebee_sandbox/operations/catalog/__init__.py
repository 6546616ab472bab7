"""Operations on items, prices, and coupons."""
