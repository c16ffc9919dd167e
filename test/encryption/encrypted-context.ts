import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openData, type BeachData, type OpenDataOptions } from '@cool-ai/beach'
import { onTestFinished } from 'vitest'
import { folderOfTest } from '../missives/test-context.ts'
import { newDatabase } from '../support/postgres.ts'

/** A key of encryption, by its name. */
export function keyNamed(name: string): string {
  return `${name}:${Buffer.alloc(32, name).toString('base64')}`
}

/** A place for data, which can be opened again and again, and everything that is written there. */
export interface Place {
  open(keys?: string | false): Promise<BeachData>
  /** Every byte of it. */
  bytes(): Promise<string>
  readonly options: OpenDataOptions
}

export function folderPlace(): Place {
  const folder = folderOfTest()
  const options = { folder }
  return {
    options,
    open: (keys = keyNamed('one')) => openData({ ...options, encryption: keys !== false && { keys } }),
    bytes: async () => bytesIn(folder),
  }
}

export async function postgresPlace(): Promise<Place & { query(sql: string): Promise<unknown> }> {
  const database = await newDatabase()
  onTestFinished(() => database[Symbol.asyncDispose]())
  const options = { store: database.url, agent: 'keeper', secret: Buffer.alloc(32, 1) }
  return {
    options,
    open: (keys = keyNamed('one')) => openData({ ...options, encryption: keys !== false && { keys } }),
    query: (sql) => database.query(sql),
    async bytes() {
      const { rows: tables } = await database.query<{ name: string }>(
        `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
         WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
      )
      const texts: string[] = []
      for (const { name } of tables) {
        const { rows } = await database.query<Record<string, unknown>>(`SELECT * FROM ${name}`)
        for (const row of rows) {
          const values = Object.values(row).map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : value))
          texts.push(`${name}: ${JSON.stringify(values)}`)
        }
      }
      return texts.join('\n')
    },
  }
}

function bytesIn(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('\n')
}

/** Closes what was opened. */
export async function closed(data: BeachData): Promise<void> {
  await data.missives.store.close()
  await data.missives.identities.close()
  await data.artifacts.close?.()
  await data.store.close()
}
