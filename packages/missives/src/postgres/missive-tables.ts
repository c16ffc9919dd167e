import type { Component } from '@cool-ai/beach-core/postgres'
import type { MissiveCodec } from '../missives/missive-codec.ts'

/**
 * Raised whenever the tables of the projection, what is projected or the words of a missive (`textOf`, `indexed`,
 * `plainWords`) change. Each version has tables of its own, made by a migration of its own, so that programs of two
 * versions at once do not disturb each other: each fills its own from the logs. Tables that no program has used for a
 * day are emptied (`projection-versions.ts`); a later migration removes them.
 */
const projectionVersion = 1
const sealedVersion = 101

/** Encrypted missives have tables of their own. */
export function versionFor({ id }: Pick<MissiveCodec, 'id'>): number {
  return id === 0 ? projectionVersion : sealedVersion
}

/** Versions that nothing may read any more once this one is in use. */
export function replacedBy(version: number): readonly number[] {
  return version === sealedVersion ? [projectionVersion] : []
}

/** The tables of a version, each with a column `session`; the first one has the read positions. */
export function tablesOf(version: number) {
  return {
    place: `missive_place_${version}`,
    correspondent: `missive_correspondent_${version}`,
    address: `missive_address_${version}`,
    missive: `missive_${version}`,
    artifact: `missive_artifact_${version}`,
  }
}

/**
 * Names of any length stand as digests (`digest.ts`) where they are only compared: an index takes 2,704 bytes. What all
 * missives of a correspondent share is in `about`; a missive has its own facts in `body` (`missives/missive-row.ts`).
 * `words` has a word for the tenant too, so that a search looks only at this tenant's missives.
 *
 * `token` is that of the last write: a write whose answer was lost finds out by it that it was done.
 */
function projection(schema: string, version: number): string {
  const { place, correspondent, address, missive, artifact } = tablesOf(version)
  return `
    CREATE TABLE ${schema}.${place} (
      session text COLLATE "C" PRIMARY KEY, long text, seq bigint NOT NULL, state text NOT NULL, token text NOT NULL);
    CREATE TABLE ${schema}.${correspondent} (
      session text COLLATE "C" NOT NULL, correspondent uuid NOT NULL, tenant text COLLATE "C" NOT NULL,
      originator uuid NOT NULL, thread uuid NOT NULL, channel text COLLATE "C" NOT NULL, owner uuid,
      about text NOT NULL, PRIMARY KEY (session, correspondent));
    CREATE INDEX ON ${schema}.${correspondent} (thread);
    CREATE INDEX ON ${schema}.${correspondent} (owner);
    CREATE TABLE ${schema}.${address} (
      address uuid NOT NULL, session text COLLATE "C" NOT NULL, correspondent uuid NOT NULL,
      PRIMARY KEY (session, correspondent, address));
    CREATE INDEX ON ${schema}.${address} (address);
    CREATE TABLE ${schema}.${missive} (
      session text COLLATE "C" NOT NULL, missive uuid NOT NULL, id bigint GENERATED ALWAYS AS IDENTITY,
      tenant text COLLATE "C" NOT NULL, correspondent uuid NOT NULL, direction smallint NOT NULL, at bigint NOT NULL,
      delivery_id text COLLATE "C", delivery text, body bytea NOT NULL, words tsvector NOT NULL,
      PRIMARY KEY (session, missive));
    ALTER TABLE ${schema}.${missive} ALTER COLUMN body SET STORAGE EXTERNAL;
    CREATE INDEX ON ${schema}.${missive} (missive);
    CREATE INDEX ON ${schema}.${missive} (tenant, at, id);
    CREATE INDEX ON ${schema}.${missive} (session, correspondent);
    CREATE INDEX ON ${schema}.${missive} (session) WHERE delivery_id IS NOT NULL;
    CREATE INDEX ON ${schema}.${missive} USING brin (at);
    CREATE INDEX ON ${schema}.${missive} USING gin (words);
    CREATE TABLE ${schema}.${artifact} (
      session text COLLATE "C" NOT NULL, artifact uuid NOT NULL, name text NOT NULL, at bigint NOT NULL,
      PRIMARY KEY (session, artifact));
    CREATE INDEX ON ${schema}.${artifact} (artifact);
  `
}

/** The tables of missives, identities and artifacts. */
export const missiveTables: Component = {
  name: 'missives',
  migrations: [
    {
      version: 1,
      sql: (schema) => `
        CREATE TABLE ${schema}.missive_projection (
          version integer PRIMARY KEY, tables text[] NOT NULL, used timestamptz NOT NULL);
        CREATE TABLE ${schema}.artifact_unnamed (artifact uuid PRIMARY KEY, since bigint NOT NULL);
        ${projection(schema, projectionVersion)}
      `,
    },
    { version: 2, sql: (schema) => projection(schema, sealedVersion) },
  ],
}
