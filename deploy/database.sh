#!/bin/sh
# The database's image runs it once, before anything can connect: compose.yaml.
set -eu
psql -q -U postgres -v password="$PORTAL_PASSWORD" -v owner_password="$OWNER_PASSWORD" -f /deploy/database.sql
# The superuser is reached from within the container alone.
psql -q -U postgres -c 'ALTER ROLE postgres PASSWORD NULL'
