import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import { PostgresStore } from '@cool-ai/beach-session/postgres'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { selfSigned } from '../../packages/channel/src/guarded-fetch/self-signed.test-helper.ts'
import { PostgresServer } from '../support/postgres-server.ts'

const runtime = systemRuntime({ logger: silentLogger })

/** A server that takes TLS, with a certificate for localhost. */
async function encrypted() {
  const server = await PostgresServer.start()
  onTestFinished(() => server[Symbol.asyncDispose]())
  const { key, cert } = selfSigned('localhost')
  const data = join(server.folder, 'data')
  const { uid, gid } = statSync(data)
  for (const [name, text] of [
    ['server.key', key],
    ['server.crt', cert],
  ] as const) {
    writeFileSync(join(data, name), text, { mode: 0o600 })
    if (process.getuid?.() === 0) chownSync(join(data, name), uid, gid)
  }
  const client = new Client(server.url())
  await client.connect()
  await client.query('ALTER SYSTEM SET ssl = on')
  await client.query('SELECT pg_reload_conf()')
  await expect.poll(async () => (await client.query('SHOW ssl')).rows).toEqual([{ ssl: 'on' }])
  onTestFinished(() => client.end())
  const folder = mkdtempSync(join(tmpdir(), 'beach-tls-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'own.pem'), cert)
  writeFileSync(join(folder, 'other.pem'), selfSigned('localhost').cert)
  const url = (host: string, root: string) =>
    `postgres://postgres@${host}:${server.port}/postgres?sslmode=verify-full&sslrootcert=${join(folder, root)}`
  return { url, client }
}

test('all connections of an agent are encrypted, to a server whose certificate is the one that is expected', async () => {
  const { url, client } = await encrypted()
  const database = await PostgresDatabase.open({ url: url('localhost', 'own.pem'), runtime })
  const store = await PostgresStore.open({ database, runtime })
  onTestFinished(() => store.close())
  expect(await store.append('s', 0, [{ n: 1 }])).toBe(1)
  expect(await store.read('s', 0)).toHaveLength(1)
  const { rows } = await client.query(
    `SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'beach %'`,
  )
  expect(rows.length).toBeGreaterThan(2)
  expect(rows.every(({ ssl }: { ssl: boolean }) => ssl)).toBe(true)
})

test.each([
  ['another certificate', 'localhost', 'other.pem', /self-signed certificate/],
  ['a certificate of another name', '127.0.0.1', 'own.pem', /127\.0\.0\.1/],
])('a server with %s is refused with the reason', async (_, host, root, reason) => {
  const { url } = await encrypted()
  await expect(PostgresDatabase.open({ url: url(host, root), runtime })).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: expect.stringMatching(reason) as string,
  })
})
