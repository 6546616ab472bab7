-- The portal's role and database, once, by a superuser:
--
--     psql -v password="'…'" -f deploy/database.sql
--
-- The role owns the database and nothing else. Its time limits hold however it connects: PgBouncer drops those that the
-- portal asks for when it connects, and `check --deploy` says so if these are missing.
\set ON_ERROR_STOP on

CREATE ROLE portal LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :password;
ALTER ROLE portal SET statement_timeout = '15s';
ALTER ROLE portal SET lock_timeout = '5s';
ALTER ROLE portal SET idle_in_transaction_session_timeout = '60s';

CREATE DATABASE portal OWNER portal ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE portal FROM PUBLIC;
