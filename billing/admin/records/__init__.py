"""Pages of rows that nobody types: the mirror, commands, job runs, webhook events and documents."""
