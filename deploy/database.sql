-- The portal's database and its two roles, once, by a superuser:
--
--     psql -v password='…' -v owner_password='…' -f deploy/database.sql
--
-- `portal_owner` owns the database, and migrates it. `portal` reads and writes rows and changes no table: whoever gets hold of
-- its password can neither drop one nor leave a trigger behind. Its time limits hold however it connects: PgBouncer drops
-- those that the portal asks for when it connects, and `check --deploy` says so if these are missing.
\set ON_ERROR_STOP on

CREATE ROLE portal_owner LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'owner_password';
CREATE ROLE portal LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
ALTER ROLE portal SET statement_timeout = '15s';
ALTER ROLE portal SET lock_timeout = '5s';
ALTER ROLE portal SET idle_in_transaction_session_timeout = '60s';

CREATE DATABASE portal OWNER portal_owner ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE portal FROM PUBLIC;
GRANT CONNECT ON DATABASE portal TO portal;

\connect portal
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
ALTER SCHEMA public OWNER TO portal_owner;
GRANT USAGE ON SCHEMA public TO portal;
ALTER DEFAULT PRIVILEGES FOR ROLE portal_owner GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO portal;
ALTER DEFAULT PRIVILEGES FOR ROLE portal_owner GRANT USAGE, SELECT ON SEQUENCES TO portal;
