"""What every background worker shares: leases, the task queue, shutdown and standstill."""
