"""HTTP to the provider: the SDK's transport, time-outs, retries, the circuit breaker and the rate limit."""
