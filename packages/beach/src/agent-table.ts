import { BeachError } from '@cool-ai/beach-core'
import type { Component, PostgresDatabase } from '@cool-ai/beach-core/postgres'

/** Says which agent a schema belongs to. */
export const agentTable: Component = {
  name: 'agent',
  migrations: [
    {
      version: 1,
      sql: (schema) =>
        `CREATE TABLE ${schema}.agent (id text NOT NULL, one boolean PRIMARY KEY DEFAULT true CHECK (one))`,
    },
  ],
}

/** Two agents in one schema would take each other's sessions, so the schema is that of the first one. */
export async function claimSchema(database: PostgresDatabase, agent: string): Promise<void> {
  const { schema } = database
  const claim = {
    name: 'claim-schema',
    text: `INSERT INTO ${schema}.agent (id) VALUES ($1) ON CONFLICT DO NOTHING`,
  }
  const owned = { name: 'agent-of-schema', text: `SELECT id FROM ${schema}.agent` }
  const owner = await database.transaction(async ({ rows }) => {
    await rows(claim, [agent])
    const [row] = await rows(owned)
    return row?.id as string | undefined
  })
  if (owner === agent) return
  throw new BeachError(
    'INVALID_CONFIGURATION',
    `The schema ${schema} has the data of the agent '${owner}', so '${agent}' cannot use it. Name another one: postgres://…?schema=….`,
  )
}
