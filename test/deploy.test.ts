import { globSync, readFileSync } from 'node:fs'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import { openPostgresMissives } from '@cool-ai/beach-missives/postgres'
import { PostgresStore } from '@cool-ai/beach-session/postgres'
import { migrateData } from '../packages/beach/src/data/moving/postgres-data.ts'
import { newDatabase } from './support/postgres.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const root = new URL('..', import.meta.url).pathname

/** Names of environment variables that programs read: `process.env.NAME`, and what is taken out of `process.env`. */
function variablesIn(source: string): string[] {
  const named = [...source.matchAll(/\benv(?:ironment)?\.([A-Z][A-Z0-9_]+)\b/g)].map(([, name = '']) => name)
  const taken = [...source.matchAll(/const \{([^}]+)\} = (?:process\.)?env(?:ironment)?\b/g)]
  return [...named, ...taken.flatMap(([, list = '']) => list.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? [])]
}

test('the table of environment variables in docs/deploy.md names every one that is read, and no other', () => {
  const files = globSync(['packages/*/src/**/*.ts', 'examples/**/*.ts'], { cwd: root })
  const sources = files.filter((file) => !/node_modules|\.test/.test(file)).map((file) => read(file))
  const table = read('docs/deploy.md').split('## Environment variables')[1]?.split('\n## ')[0] ?? ''
  const listed = [...table.matchAll(/`([A-Z][A-Z0-9_]+)(?:_?…|<)?/g)].map(([, name = '']) => name)
  const isListed = (name: string) => listed.includes(name) || /^(?:TRAVEL|BEACH_PEER)_/.test(name)
  const used = [...new Set(sources.flatMap(variablesIn))]
  expect(used).toContain('BEACH_SECRET')
  expect(used).toContain('BEACH_STORE')
  expect(used.filter((name) => !isListed(name))).toEqual([])
  const all = sources.join('\n')
  expect(listed.filter((name) => !all.includes(name) && name !== 'TZ')).toEqual([])
})

test('the roles of deploy/roles.sql let an agent work, and make nothing', async () => {
  await using database = await newDatabase()
  const role = `agent_${new URL(database.url).pathname.slice(1)}`
  const runtime = systemRuntime({ logger: silentLogger })
  await migrateData(database.url, runtime)
  await database.query(`CREATE ROLE ${role} LOGIN PASSWORD 'x'`)
  try {
    await database.query(read('deploy/roles.sql').replaceAll('beach_agent', role))
    const url = Object.assign(new URL(database.url), { username: role, password: 'x' }).href
    const db = await PostgresDatabase.open({ url, runtime })
    const store = await PostgresStore.open({ database: db, runtime })
    expect(await store.append('s', 0, [{}])).toBe(1)
    // Tables of missives that no program uses any more are emptied by the next one that starts.
    await database.query(
      `INSERT INTO beach.missive_projection (version, tables, used)
       SELECT 0, tables, now() - interval '2 days' FROM (SELECT ARRAY['unused'] AS tables) AS unused`,
    )
    await database.query('CREATE TABLE beach.unused (session text)')
    const { missives } = await openPostgresMissives(db, { runtime })
    expect((await database.query('SELECT FROM beach.missive_projection WHERE version = 0')).rowCount).toBe(0)
    await missives.store.clear()
    await store.close()
    await db.end()
    const agent = new Client(url)
    await agent.connect()
    await expect(agent.query('CREATE TABLE beach.mine (a integer)')).rejects.toThrow('permission denied')
    await expect(agent.query('DROP TABLE beach.key')).rejects.toThrow('must be owner')
    await agent.end()
  } finally {
    await database.query(`DROP OWNED BY ${role}`)
    await database.query(`DROP ROLE ${role}`)
  }
})

interface Compose {
  readonly services: Readonly<Record<string, { readonly environment?: object; readonly depends_on?: object }>>
  readonly volumes: object
}

test('the compose file parses, and every service, volume and variable that it names is there', () => {
  const text = read('deploy/compose.yaml')
  const { services, volumes } = parse(text, { merge: true, strict: true }) as Compose
  const names = Object.keys(services)
  for (const { depends_on: needed = [] } of Object.values(services)) {
    for (const name of Array.isArray(needed) ? (needed as string[]) : Object.keys(needed)) expect(names).toContain(name)
  }
  for (const [, volume = ''] of text.matchAll(/- ([a-z]+):\//g)) expect(Object.keys(volumes)).toContain(volume)
  const agent = services['agent-1']
  expect(services['agent-2']).toEqual(agent)
  const table = read('docs/deploy.md')
  for (const name of Object.keys(agent?.environment ?? {})) expect(table).toContain(`\`${name}\``)
})

test('the systemd unit has known sections with settings, and gives an agent the time that it needs to stop', () => {
  const lines = read('deploy/beach.service')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  for (const line of lines) expect(line).toMatch(/^(?:\[(?:Unit|Service|Install)\]|[A-Z]\w+=.+)$/)
  const stop = Number(/^TimeoutStopSec=(\d+)$/m.exec(lines.join('\n'))?.[1])
  expect(stop).toBeGreaterThan(25)
})

test('images and units start the command of a project, and images get neither secrets, data nor other packages', () => {
  const start = 'node_modules/.bin/beach start'
  expect(read('deploy/Dockerfile')).toContain(
    `CMD ${JSON.stringify(['node', ...start.split(' ')]).replaceAll(',', ', ')}`,
  )
  expect(read('deploy/beach.service')).toContain(`ExecStart=/usr/bin/node ${start}\n`)
  const leftOut = read('deploy/Dockerfile.dockerignore').split('\n')
  expect(leftOut).toEqual(expect.arrayContaining(['.env*', '.beach', 'node_modules']))
})

test('what the files of deploy/ name is there', () => {
  const compose = read('deploy/compose.yaml')
  for (const [, file = ''] of compose.matchAll(/\.\/([\w.]+):/g)) expect(read(`deploy/${file}`)).not.toBe('')
  expect(compose).not.toContain('\t')
  const { bin } = JSON.parse(read('packages/beach/package.json')) as { bin: Record<string, string> }
  expect(Object.keys(bin)).toContain('beach')
  expect(compose).toContain("'beach', 'data', 'migrate'")
  expect(read('packages/beach/src/command/commands/data.ts')).toContain(".command('migrate')")
  const services = [...compose.matchAll(/^ {2}([\w-]+):/gm)].map(([, name = '']) => name)
  for (const [name] of read('deploy/Caddyfile').matchAll(/agent-\d/g)) expect(services).toContain(name)
})
