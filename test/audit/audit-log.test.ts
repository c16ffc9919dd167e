import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { silentLogger, type Principal, type Store } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { simulatedRuntime } from '@cool-ai/beach-testing'
import { expect, test } from 'vitest'
import { entriesPerLog, logName } from '../../packages/channel/src/audit/audit-chain.ts'
import type { AuditEntry } from '../../packages/channel/src/audit/audit-entry.ts'
import { AuditLog, verifyAudit } from '@cool-ai/beach-channel/audit'
import { AuditSyslog, syslogLine } from '@cool-ai/beach-channel/audit/syslog'

const olga: Principal = { kind: 'operator', id: 'olga', tenant: 'acme' }
const anna: Principal = { kind: 'user', id: 'anna@acme.example', tenant: 'acme' }

function make(count = 1) {
  const runtime = simulatedRuntime({ logger: silentLogger })
  const store = new MemoryStore({ runtime })
  const logs = Array.from({ length: count }, () => new AuditLog({ store, runtime, tenant: 'acme' }))
  const [log] = logs
  if (log === undefined) throw new Error('There is no log.')
  return { runtime, store, logs, log }
}

type Readable = Pick<Store, 'read' | 'list'>

const verified = async (store: Readable, expected?: string) =>
  (await verifyAudit(store, { tenant: 'acme', expected }))[0]

/** A store in which one event reads as something else: as a hand in its tables leaves it. */
function changed(store: Store, seq: number, change: (entry: AuditEntry) => unknown): Readable {
  const read: Store['read'] = async (...asked) =>
    (await store.read(...asked)).flatMap((event) => {
      if (event.seq !== seq) return [event]
      const data = change(event.data as AuditEntry)
      return data === undefined ? [] : [{ seq, data }]
    })
  return { read, list: store.list.bind(store) }
}

test('entries of several processes are one chain, each written once', async () => {
  const { store, logs } = make(4)
  const all = logs.flatMap((log, process) =>
    Array.from({ length: 25 }, (_, index) => log.act(olga, 'session.cancel', { detail: `${process}.${index}` })),
  )
  await Promise.all(all)
  expect(await verified(store)).toMatchObject({ entries: 100, head: { n: 100 } })
  const items = (await logs[0]?.list('acme', undefined, 200))?.items ?? []
  expect(new Set(items.map(({ detail }) => detail)).size).toBe(100)
  expect(items.map(({ n }) => n)).toEqual(Array.from({ length: 100 }, (_, index) => 100 - index))
})

test('the chain goes on over several logs, and after a restart', async () => {
  const { store, log, runtime } = make()
  await Promise.all(Array.from({ length: entriesPerLog + 5 }, (_, at) => log.act(olga, 'x', { detail: String(at) })))
  const later = new AuditLog({ store, runtime, tenant: 'acme' })
  await later.act(olga, 'later')
  expect(await verified(store)).toMatchObject({ entries: entriesPerLog + 6 })
  const first = await later.list('acme', undefined, 4)
  expect(first.items.map(({ n }) => n)).toEqual([1_006, 1_005, 1_004, 1_003])
  const second = await later.list('acme', first.next, 4)
  expect(second.items.map(({ n }) => n)).toEqual([1_002, 1_001, 1_000, 999])
})

test('tenants have chains of their own', async () => {
  const { store, log } = make()
  await log.act(olga, 'one')
  await log.act({ ...olga, tenant: 'other/tenant' }, 'two')
  expect((await verifyAudit(store)).map(({ tenant, entries }) => [tenant, entries])).toEqual([
    ['acme', 1],
    ['other/tenant', 1],
  ])
  expect((await log.list('acme', undefined, 10)).items).toHaveLength(1)
})

test.each<[string, (entry: AuditEntry) => unknown, string]>([
  ['changed', (entry) => ({ ...entry, by: 'operator~eve' }), 'this entry was changed'],
  ['removed', () => undefined, 'entry 3 stands here: entries were removed or added'],
  ['replaced by something else', () => ({ n: 2 }), 'this is not an entry of the record'],
  ['moved', (entry) => ({ ...entry, n: 3 }), 'entry 3 stands here: entries were removed or added'],
  ['made to look older', (entry) => ({ ...entry, at: 1 }), 'this entry was changed'],
])('an entry that was %s is named', async (_, change, problem) => {
  const { store, log } = make()
  for (const what of ['one', 'two', 'three']) await log.act(olga, what)
  const [, second] = await store.read(logName('acme', 0), 0)
  const result = await verified(changed(store, second?.seq ?? 0, change))
  expect(result?.problem).toMatchObject({ n: 2, log: 'audit-chain:acme:0', problem })
})

test('a record that was cut, or written anew, lacks the entry that was kept elsewhere', async () => {
  const { store, log } = make()
  await log.act(olga, 'one')
  await log.act(olga, 'two')
  const { hash = '' } = (await verified(store))?.head ?? {}
  const cut = changed(store, 2, () => undefined)
  expect((await verified(cut))?.problem).toBeUndefined()
  expect((await verified(cut, hash))?.problem?.problem).toBe('the entry with the expected hash is not in the record')
  await log.act(olga, 'three')
  expect((await verified(store, hash))?.problem).toBeUndefined()
})

test('people have pseudonyms, which stand for no person once the keys that name them are gone', async () => {
  const { store, log } = make()
  await log.act(anna, 'approval.decided')
  await log.act(anna, 'logout')
  const shown = await log.list('acme', undefined, 10)
  expect(shown.items.map(({ by }) => by)).toEqual(['user~anna%40acme.example', 'user~anna%40acme.example'])
  const stored = JSON.stringify(await store.read(logName('acme', 0), 0))
  expect(stored).not.toContain('anna')
  // As the erasure of a person does it: every key that names them.
  for (const { key, value } of await store.list('')) {
    if (key.includes('anna') || value.includes('anna')) await store.unbind(key)
  }
  const after = await log.list('acme', undefined, 10)
  expect(after.items.every(({ by }) => by.startsWith('person_'))).toBe(true)
  expect(await verified(store)).toMatchObject({ entries: 2 })
})

test('the same look within a minute is one entry, and so is a refusal; those of a flood are not all kept', async () => {
  const { store, log, runtime } = make()
  for (let times = 0; times < 3; times++) await log.look(olga, 'session', { session: 's' })
  await runtime.clock.advance(60_000)
  await log.look(olga, 'session', { session: 's' })
  expect(await verified(store)).toMatchObject({ entries: 2 })
  for (let index = 0; index < 200; index++) {
    await log.record({ by: 'unknown', kind: 'refused', what: 'http.403', detail: `GET /${index}` })
  }
  expect(await verified(store)).toMatchObject({ entries: 62 })
})

test('an entry that cannot be written is an error, and the next one goes on', async () => {
  const { store, log } = make()
  await log.act(olga, 'one')
  const append = store.append.bind(store)
  store.append = () => Promise.reject(new Error('The disk is full.'))
  await expect(log.act(olga, 'two')).rejects.toThrow('The disk is full.')
  store.append = append
  await log.act(olga, 'three')
  expect(await verified(store)).toMatchObject({ entries: 2 })
})

test('entries of earlier releases follow those of the chain', async () => {
  const { store, log } = make()
  const hour = 3_600_000
  await store.bind(`audit:acme:${9_999_999_999_999 - 5 * hour}`, 'audit:acme:5')
  const old = (what: string) => ({ at: 5 * hour, by: 'operator~olga', kind: 'look', what })
  await store.append('audit:acme:5', 0, [old('older'), old('old')])
  await log.act(olga, 'new')
  const whats: string[] = []
  for (let after: string | undefined; ;) {
    const page = await log.list('acme', after, 1)
    whats.push(...page.items.map(({ what }) => what))
    after = page.next
    if (after === undefined) break
  }
  expect(whats).toEqual(['new', 'old', 'older'])
})

const entry: AuditEntry = {
  n: 7,
  at: Date.UTC(2026, 10, 19, 4, 0, 0, 250),
  by: 'operator~olga',
  kind: 'refused',
  what: 'http.403',
  detail: 'a "quote" ] \\ and\na line\u001b[31m',
  prev: 'p',
  hash: 'h',
}

test('a line of syslog has the form of RFC 5424, and nothing that begins another line', () => {
  const line = syslogLine(entry, 'acme', 'shop agent')
  expect(line).toMatch(
    /^<108>1 2026-11-19T04:00:00\.250Z \S+ shop_agent \d+ http\.403 \[beach@32473 n="7" tenant="acme" by="operator~olga" /,
  )
  expect(line).toContain(String.raw`detail="a \"quote\" \] \\ and a line [31m"`)
  expect(line).toMatch(/\] operator~olga refused http\.403$/)
})

test('a collector gets entries by UDP', async () => {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const syslog = new AuditSyslog(`udp://127.0.0.1:${socket.address().port}`, { agent: 'shop', logger: silentLogger })
  syslog.written(entry, 'acme')
  const [message] = (await once(socket, 'message')) as [Buffer]
  expect(message.toString()).toBe(syslogLine(entry, 'acme', 'shop'))
  syslog.close()
  socket.close()
})

test('a collector gets entries by TCP, each with its length', async () => {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  let lost = 0
  const syslog = new AuditSyslog(`tcp://127.0.0.1:${port}`, { agent: 'shop', logger: { log: () => lost++ } })
  syslog.written(entry, 'acme')
  syslog.written(entry, 'acme')
  const [socket] = (await once(server, 'connection')) as [Socket]
  const line = syslogLine(entry, 'acme', 'shop')
  const wanted = `${Buffer.byteLength(line)} ${line}`.repeat(2)
  let got = ''
  socket.on('data', (data: Buffer) => (got += data.toString()))
  while (got.length < wanted.length) await once(socket, 'data')
  expect(got).toBe(wanted)
  // Of what it does not read, so much is kept, and no more.
  for (let n = 0; n < 200; n++) syslog.written({ ...entry, detail: 'x'.repeat(100_000) }, 'acme')
  expect(lost).toBe(0)
  for (let n = 0; n < 2_000; n++) syslog.written(entry, 'acme')
  expect(lost).toBeGreaterThan(1_000)
  syslog.close()
  server.close()
  socket.destroy()
})

test.each(['file:///tmp/x', 'udp://host', 'tcp://:601', 'nonsense'])('%s is no address of a collector', (target) => {
  expect(() => new AuditSyslog(target, { agent: 'shop', logger: silentLogger })).toThrow('`audit.syslog`')
})
