import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { inject } from 'vitest'

/** A new, empty database on the server of this run, with its address. */
export async function newDatabase(): Promise<{ url: string; query: Client['query'] } & AsyncDisposable> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const server = new URL(inject('postgres'))
  await asAdmin(server, `CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const client = new Client(url.href)
  client.on('error', () => {})
  await client.connect()
  return {
    url: url.href,
    query: client.query.bind(client),
    async [Symbol.asyncDispose]() {
      await client.end()
      await asAdmin(server, `DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

async function asAdmin(server: URL, statement: string): Promise<void> {
  const client = new Client(server.href)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
