import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { simulatedRuntime } from '@cool-ai/beach-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { SqliteIdentityStore } from '../sqlite/sqlite-identity-store.ts'
import { Identities } from './identities.ts'
import { identityContext, mail, page, phone, tenant, testIdentityStore } from './identity-store-suite.test-helper.ts'
import type { IdentityStore } from './identity-store.ts'
import { MemoryIdentityStore } from './memory-identity-store.ts'

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'beach-identities-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const engines: [string, () => Promise<IdentityStore>][] = [
  ['memory', async () => new MemoryIdentityStore()],
  [
    'SQLite',
    async () => {
      const store = await SqliteIdentityStore.open({ path: join(folderOfTest(), 'identities.db') })
      onTestFinished(() => store.close())
      return store
    },
  ],
]

describe.each(engines)('identities in the %s store', (_, open) => {
  testIdentityStore(open)
})

test('without a way to send codes, that is said', async () => {
  const identities = new Identities({ store: new MemoryIdentityStore(), runtime: simulatedRuntime() })
  await expect(identities.startJoin({ from: page, to: mail, tenant })).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
  })
})

test('the file has neither codes nor, once erased, the person', async () => {
  const folder = folderOfTest()
  const path = join(folder, 'identities.db')
  const store = await SqliteIdentityStore.open({ path })
  const { identities, sent, joined } = await identityContext(store)
  await joined(page, mail)
  await identities.startJoin({ from: page, to: phone, tenant })
  const bytes = () => Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))))
  for (const { code } of sent) expect(bytes().includes(code)).toBe(false)
  expect(bytes().includes('ann@example.com')).toBe(true)
  await identities.erase(tenant, [page, mail])
  for (const word of ['ann@example.com', 'anon_1']) expect(bytes().includes(word)).toBe(false)
  await store.close()
  // What is in it is nowhere else: it outlives the process, and is not made anew.
  const again = await SqliteIdentityStore.open({ path })
  expect((await again.events(tenant)).items.length).toBeGreaterThan(0)
  await again.close()
})

test('the file has no codes that have expired, and the last 10,000 of what was done', async () => {
  const path = join(folderOfTest(), 'identities.db')
  const store = await SqliteIdentityStore.open({ path })
  onTestFinished(() => store.close())
  const db = new DatabaseSync(path)
  onTestFinished(() => db.close())
  const count = (table: string) => Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n)
  db.exec(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10_000)
    INSERT INTO identity_event (tenant, about) SELECT '${tenant}', '{}' FROM n`)
  const { identities, runtime } = await identityContext(store)
  await identities.startJoin({ from: page, to: mail, tenant })
  await runtime.clock.advance(60 * 60 * 1_000)
  await identities.startJoin({ from: 'principal:anonymous~anon_2', to: phone, tenant })
  expect(count('open_join')).toBe(1)
  expect(count('identity_event')).toBe(10_000)
})
