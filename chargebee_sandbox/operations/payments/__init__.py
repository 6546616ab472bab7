"""Operations on payment sources, payment intents, and transactions."""
