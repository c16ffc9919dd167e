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

/** Deletes all rows of a schema's tables, if it is there: that is quicker than making them again. */
export async function emptySchema({ query }: { readonly query: Client['query'] }, schema: string): Promise<void> {
  const { rows } = await query(
    `SELECT format('%I.%I', nspname, relname) AS name FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
     WHERE nspname = $1 AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'migration'`,
    [schema],
  )
  const names = (rows as { name: string }[]).map(({ name }) => `DELETE FROM ${name}`)
  if (names.length > 0) await query(names.join(';'))
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
