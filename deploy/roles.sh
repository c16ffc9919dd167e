#!/bin/sh
# Run once by the image of PostgreSQL, when its database is made.
set -eu
psql --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --set=ON_ERROR_STOP=1 --set=password="$AGENT_PASSWORD" <<'SQL'
CREATE ROLE beach_agent LOGIN PASSWORD :'password';
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
CREATE SCHEMA beach;
GRANT USAGE ON SCHEMA beach TO beach_agent;
ALTER DEFAULT PRIVILEGES IN SCHEMA beach GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON TABLES TO beach_agent;
SQL
