import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrateData } from '../../packages/beach/src/data/moving/postgres-data.ts'
import { missiveNames, missiveStatements } from '../../packages/missives/src/postgres/missive-statements.ts'
import { tablesOf, versionFor } from '../../packages/missives/src/postgres/missive-tables.ts'
import { statements } from '../../packages/session/src/stores/postgres/statements.ts'
import { newDatabase } from '../support/postgres.ts'

// What docs/scale.md says of a cluster that keeps each session on one of its servers.

const [version, sealedVersion] = [versionFor({ id: 0 }), versionFor({ id: 1 })]
const missiveTables = [version, sealedVersion].flatMap((each) => Object.values(tablesOf(each)))
const bySession = ['event', 'session', 'snapshot', 'follower', ...missiveTables]
/** The column by which each table can be distributed. */
const distributedBy: Readonly<Record<string, string>> = {
  ...Object.fromEntries(bySession.map((table) => [table, 'session'])),
  key: 'key',
  use: 'key',
  artifact: 'artifact',
}
/** Tables that are small, or that no turn touches: they belong on one server, or on all. */
const together = [
  'agent',
  'artifact_unnamed',
  'identity_address',
  'identity_event',
  'identity_join',
  'identity_join_started',
  'migration',
  'missive_projection',
  'process',
]

let database: Awaited<ReturnType<typeof newDatabase>>
let schema: string
beforeAll(async () => {
  database = await newDatabase()
  schema = await migrateData(database.url, systemRuntime({ logger: silentLogger }))
})
afterAll(() => database[Symbol.asyncDispose]())

async function names(sql: string) {
  return (await database.query<Record<string, string>>(sql, [schema])).rows
}

test('every table says how it is distributed, and its unique indexes and foreign keys contain that column', async () => {
  const inSchema = `JOIN pg_namespace n ON n.oid = t.relnamespace WHERE n.nspname = $1 AND NOT t.relispartition`
  const tables = await names(`SELECT t.relname AS name FROM pg_class t ${inSchema} AND t.relkind IN ('r', 'p')`)
  expect(tables.map(({ name = '' }) => name).toSorted()).toEqual(
    [...Object.keys(distributedBy), ...together].toSorted(),
  )
  const columns = (numbers: string) =>
    `(SELECT string_agg(attname, ',') FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attnum = ANY(${numbers}))`
  const constraints = await names(`
    SELECT t.relname AS "table", ${columns('i.indkey')} AS columns FROM pg_index i
      JOIN pg_class t ON t.oid = i.indrelid ${inSchema} AND i.indisunique
    UNION ALL SELECT t.relname, ${columns('c.conkey')} FROM pg_constraint c
      JOIN pg_class t ON t.oid = c.conrelid ${inSchema} AND c.contype = 'f'`)
  const distributed = constraints.filter(({ table = '' }) => table in distributedBy)
  expect(distributed.length).toBeGreaterThanOrEqual(bySession.length)
  for (const { table = '', columns: named = '' } of distributed) {
    expect(named.split(','), table).toContain(distributedBy[table])
  }
})

const session = `'sess_7'`
const now = 1_000_000_000_000
const added = [session, 6, 1, `'{}'`]

/** What a turn sends: each statement by itself, with the session that it is about. */
const hotStatements = {
  append: [...added, false],
  appendAndWake: [...added, now, now, false],
  appendAndClaim: [...added, `'me'`, `'here'`, now, 10_000, now, 1, `'{}'`, false],
  newest: [session],
  own: [session, 6, `'{}'`],
  owner: [session],
  read: [session, 3, 500, 1_000_000],
  wake: [session, now, now, false],
  claim: [session, `'me'`, `'here'`, now, 10_000, now, false],
  renew: [session, `'me'`, now, false],
  release: [session, `'me'`, now, now, false],
  saveSnapshot: [session, 6, 1, `'{}'`, false],
  loadSnapshot: [session],
} satisfies Partial<Record<keyof ReturnType<typeof statements>, readonly unknown[]>>

const uuids = 'ARRAY[]::uuid[]'
const hotMissiveStatements = {
  place: [session],
  deliverable: [session, uuids],
  write: [session, 3, 6, `'{}'`, `'t'`, 'NULL', `'[]'`, `'[]'`, `'[]'`, `'[]'`, false, uuids, `'[]'`, false],
} satisfies Partial<Record<keyof ReturnType<typeof missiveStatements>, readonly unknown[]>>

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly PlanNode[]
}

function nodesIn(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesIn)]
}

/** The conditions by which a node finds its rows, also when it does so by way of an index. */
function conditionsOf(node: PlanNode): string {
  return nodesIn(node)
    .flatMap((each) =>
      Object.entries(each).flatMap(([name, value]) => (/Cond$|Filter$/.test(name) ? String(value) : [])),
    )
    .join(' ')
}

test('every statement of a turn reads and writes rows of one session only, which it names', async () => {
  const own = Object.entries(hotStatements).map(([name, values]) => {
    return { name, values, text: statements(schema)[name as keyof typeof hotStatements].text }
  })
  const missives = Object.entries(hotMissiveStatements).map(([name, values]) => {
    const all = missiveStatements(missiveNames(schema, version))
    return { name: `missives_${name}`, values, text: all[name as keyof typeof hotMissiveStatements].text }
  })
  await database.query('SET plan_cache_mode = force_custom_plan')
  for (const { name, values, text } of [...own, ...missives]) {
    await database.query(`PREPARE ${name} AS ${text}`)
    const { rows } = await database.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
      `EXPLAIN (FORMAT JSON) EXECUTE ${name}(${values.join(', ')})`,
    )
    const [{ Plan: plan } = { Plan: undefined }] = rows[0]?.['QUERY PLAN'] ?? []
    const nodes = plan === undefined ? [] : nodesIn(plan)
    const scans = nodes.filter((node) => node['Relation Name'] !== undefined && node['Node Type'] !== 'ModifyTable')
    for (const scan of scans) {
      expect(conditionsOf(scan), `${name}: ${scan['Relation Name']}`).toMatch(/session = 'sess_7'/)
    }
    const parents = ['event', 'session', 'snapshot']
    for (const parent of parents) {
      const partitions = scans.flatMap((scan) => scan['Relation Name']?.match(`^${parent}_\\d+$`)?.[0] ?? [])
      expect(new Set(partitions).size, `${name}: partitions of ${parent}`).toBeLessThanOrEqual(1)
    }
    const inserted = [
      ...text.matchAll(/INSERT INTO \S+ (?:AS \w+ )?\(\s*(\w+)[^)]*\)\s+(?:SELECT|VALUES \()\s*([^,]+),/g),
    ]
    expect(inserted.length, name).toBe(text.split('INSERT INTO').length - 1)
    for (const [, column, value] of inserted) expect([column, value], name).toEqual(['session', '$1'])
    expect(scans.length + inserted.length, name).toBeGreaterThan(0)
  }
})
