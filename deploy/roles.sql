-- As the owner of the tables, in the agent's database. The agent itself needs no right to create anything.
CREATE SCHEMA IF NOT EXISTS beach;
GRANT USAGE ON SCHEMA beach TO beach_agent;
GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA beach TO beach_agent;
-- Also on tables that a later `beach data migrate` makes.
ALTER DEFAULT PRIVILEGES IN SCHEMA beach GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON TABLES TO beach_agent;
