import type { Component } from '@cool-ai/beach-core/postgres'

/**
 * Addresses of any length are found by their digests (`digest.ts`); `address`, `sender` and `receiver` have them as they
 * are. `used_by` and `operation` are the tokens of operations: one whose commit was not answered finds out by them that
 * it was done.
 */
export const identityTables: Component = {
  name: 'identities',
  migrations: [
    {
      version: 1,
      sql: (schema) => `
        CREATE TABLE ${schema}.identity_address (
          tenant text COLLATE "C" NOT NULL, key uuid NOT NULL, address text COLLATE "C" NOT NULL,
          person text COLLATE "C" NOT NULL, PRIMARY KEY (tenant, key));
        CREATE INDEX ON ${schema}.identity_address (person);
        CREATE TABLE ${schema}.identity_join (
          tenant text COLLATE "C" NOT NULL, sender_key uuid NOT NULL, receiver_key uuid NOT NULL,
          sender text NOT NULL, receiver text NOT NULL, code_hash text NOT NULL, expires_at bigint NOT NULL,
          tries integer NOT NULL, used_by text, PRIMARY KEY (tenant, sender_key));
        CREATE INDEX ON ${schema}.identity_join (receiver_key);
        CREATE INDEX ON ${schema}.identity_join (expires_at);
        CREATE TABLE ${schema}.identity_join_started (
          id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tenant text COLLATE "C" NOT NULL,
          sender_key uuid NOT NULL, receiver_key uuid NOT NULL, at bigint NOT NULL);
        CREATE INDEX ON ${schema}.identity_join_started (sender_key);
        CREATE INDEX ON ${schema}.identity_join_started (receiver_key);
        CREATE INDEX ON ${schema}.identity_join_started (at);
        CREATE TABLE ${schema}.identity_event (
          id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tenant text COLLATE "C" NOT NULL,
          about text NOT NULL, named uuid[] NOT NULL, operation text NOT NULL);
        CREATE INDEX ON ${schema}.identity_event (tenant, id);
      `,
    },
  ],
}
