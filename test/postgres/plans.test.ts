import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import { PostgresStore } from '@cool-ai/beach-session/postgres'
import { expect, test } from 'vitest'
import { statements } from '../../packages/session/src/stores/postgres/statements.ts'
import { newDatabase } from '../support/postgres.ts'

const now = 1_000_000_000_000
const parameters = {
  nextDue: [],
  claimable: [now, now, 8],
  claim: [`'sess_7'`, `'me'`, `'here'`, now, 10_000, now, false],
  renew: [`'sess_7'`, `'me'`, now, false],
  read: [`'sess_7'`, 3, 500, 1_000_000],
  append: [`'sess_7'`, 6, 1, `'{}'`, false],
  appendAndWake: [`'sess_7'`, 6, 1, `'{}'`, now, now, false],
  heads: [`ARRAY['sess_7', 'sess_8']`],
  list: [`'a'`, `'b'`, `'a'`, 10],
} as const

test('no statement of a hot path reads a whole table, however often it was planned', async () => {
  await using server = await newDatabase()
  const runtime = systemRuntime({ logger: silentLogger })
  const database = await PostgresDatabase.open({ url: server.url, schema: 'plans', runtime })
  const store = await PostgresStore.open({ database, runtime })
  await server.query(`
    INSERT INTO plans.event SELECT 'sess_' || n, 3 * part + 1, 3 * part + 3, '{}'
      FROM generate_series(1, 20000) AS n, generate_series(0, 1) AS part;
    INSERT INTO plans.session (session, due, wake, since) SELECT 'sess_' || n, ${now} + n, ${now} + n, 0
      FROM generate_series(1, 10000) AS n;
    INSERT INTO plans.session (session) SELECT 'idle_' || n FROM generate_series(1, 10000) AS n;
    INSERT INTO plans.session (session, due, owner, process, ms) SELECT 'held_' || n, ${now} + n, 'o', 'p', 10000
      FROM generate_series(1, 500) AS n;
    INSERT INTO plans.key SELECT 'key_' || n, '', 0 FROM generate_series(1, 20000) AS n;
    ANALYZE; SET plan_cache_mode = force_generic_plan`)
  const sql = statements('plans')
  for (const [name, values] of Object.entries(parameters)) {
    await server.query(`PREPARE hot_${name} AS ${sql[name as keyof typeof parameters].text}`)
    const given = values.length > 0 ? `(${values.join(', ')})` : ''
    const { rows } = await server.query(`EXPLAIN EXECUTE hot_${name}${given}`)
    const plan = rows.map((row) => (row as Record<string, string>)['QUERY PLAN']).join('\n')
    expect(plan, name).toContain('Index')
    expect(plan, name).not.toMatch(/Seq Scan on (?:event|session|key)/)
  }
  await store.close()
})
