import type { Component } from '@cool-ai/beach-core/postgres'

const partitions = 16

// Hash partitions, each vacuumed by itself.
function partitioned(schema: string, table: string, options = ''): string {
  return Array.from(
    { length: partitions },
    (_, remainder) =>
      `CREATE TABLE ${schema}.${table}_${remainder} PARTITION OF ${schema}.${table}
       FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${remainder}) ${options};`,
  ).join('\n')
}

/**
 * Everything that a hot path touches belongs to one session and has its id first in the key, so that the tables can be
 * distributed by it.
 *
 * A row of `event` is one append, an event in each line of `data`; its events have the seqs from `seq` to `last`. Two
 * appends to the same head have the same key: the second one finds it taken. A row without events (`last < seq`) stands
 * for a session that was dropped, so that no seq is given twice; it has the key that the next append would have had.
 *
 * A row of `session` says when it can be claimed next (`due`): when its lease runs out, or else at its wake.
 */
export const sessionTables: Component = {
  name: 'session',
  migrations: [
    {
      version: 1,
      sql: (schema) => `
        CREATE TABLE ${schema}.event (
          session text COLLATE "C" NOT NULL, seq bigint NOT NULL, last bigint NOT NULL, data text NOT NULL,
          PRIMARY KEY (session, seq)) PARTITION BY HASH (session);
        ${partitioned(schema, 'event')}
        CREATE TABLE ${schema}.session (
          session text COLLATE "C" PRIMARY KEY, due bigint, wake bigint, since bigint,
          owner text, process text, ms integer) PARTITION BY HASH (session);
        ${partitioned(schema, 'session', 'WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)')}
        CREATE INDEX session_wake ON ${schema}.session (due) WHERE owner IS NULL AND due IS NOT NULL;
        CREATE INDEX session_lease ON ${schema}.session (due) WHERE owner IS NOT NULL;
        CREATE TABLE ${schema}.snapshot (
          session text COLLATE "C" PRIMARY KEY, seq bigint NOT NULL, fold_version integer NOT NULL,
          state text NOT NULL) PARTITION BY HASH (session);
        ${partitioned(schema, 'snapshot')}
        CREATE TABLE ${schema}.follower (
          session text COLLATE "C" NOT NULL, process text NOT NULL, PRIMARY KEY (session, process));
        CREATE INDEX follower_process ON ${schema}.follower (process);
        CREATE TABLE ${schema}.key (key text COLLATE "C" PRIMARY KEY, value text NOT NULL, at bigint NOT NULL, long text);
        CREATE TABLE ${schema}.process (id text PRIMARY KEY, seen bigint NOT NULL, host text NOT NULL, pid integer NOT NULL);
      `,
    },
  ],
}
