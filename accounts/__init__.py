"""Who you are: sign-in, tokens, profile; and what every application shares about an account."""
