import { namedStatements, type Component } from '@cool-ai/beach-core/postgres'

/** Bytes are kept as they are, uncompressed: so the server reads a range of them without the rest. */
export const artifactTables: Component = {
  name: 'artifacts',
  migrations: [
    {
      version: 1,
      sql: (schema) => `
        CREATE TABLE ${schema}.artifact (
          artifact text COLLATE "C" PRIMARY KEY, tenant text COLLATE "C" NOT NULL, session uuid,
          about text NOT NULL, bytes bytea NOT NULL);
        ALTER TABLE ${schema}.artifact ALTER COLUMN bytes SET STORAGE EXTERNAL;
        CREATE INDEX ON ${schema}.artifact (tenant, artifact);
        CREATE INDEX ON ${schema}.artifact (session, artifact) WHERE session IS NOT NULL;
      `,
    },
  ],
}

export function artifactStatements(schema: string) {
  const artifact = `${schema}.artifact`
  return namedStatements('artifacts', {
    // May run twice. Returns no row when another artifact has the id.
    put: `
      INSERT INTO ${artifact} AS kept (artifact, tenant, session, about, bytes) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (artifact) DO UPDATE SET about = excluded.about WHERE kept.about = excluded.about
      RETURNING artifact`,
    get: `SELECT artifact, about FROM ${artifact} WHERE artifact = $1 AND tenant = $2`,
    // $2 the number of bytes before those that are wanted, $3 how many
    read: `SELECT substring(bytes FROM $2::integer + 1 FOR $3::integer) AS bytes FROM ${artifact} WHERE artifact = $1`,
    delete: `DELETE FROM ${artifact} WHERE artifact = $1 AND tenant = $2 RETURNING artifact`,
    // $1 after, $2 limit, $3 tenant, $4 session
    list: `SELECT artifact, about FROM ${artifact} WHERE artifact > $1 ORDER BY artifact LIMIT $2`,
    listTenant: `
      SELECT artifact, about FROM ${artifact} WHERE artifact > $1 AND tenant = $3 ORDER BY artifact LIMIT $2`,
    listSession: `
      SELECT artifact, about FROM ${artifact} WHERE artifact > $1 AND tenant = $3 AND session = $4
      ORDER BY artifact LIMIT $2`,
  })
}
