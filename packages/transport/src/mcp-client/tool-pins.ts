import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Tool } from '@modelcontextprotocol/client'
import * as z from 'zod'

/** The hashes of a server's tools as they were when somebody relied on them, by the server's own names. */
export type Pins = Readonly<Record<string, string>>

/** Where pins are kept, by the name that the server was given here. */
export interface ToolPins {
  /** Undefined for a server that was never used. */
  load(server: string): Promise<Pins | undefined>
  save(server: string, pins: Pins): Promise<void>
}

/** A hash of all that a model is told of a tool. */
export function toolHash({ name, title, description, inputSchema }: Tool): string {
  const about = sorted({ name, title, description, inputSchema })
  return createHash('sha256').update(JSON.stringify(about)).digest('base64url')
}

/** Pins that last as long as the process. */
export function memoryToolPins(): ToolPins {
  const kept = new Map<string, Pins>()
  return {
    load: async (server) => kept.get(server),
    save: async (server, pins) => void kept.set(server, pins),
  }
}

const pinsFile = z.record(z.string(), z.string())

/** Pins in a folder, one file for each server. */
export function fileToolPins(folder: string): ToolPins {
  const pathOf = (server: string) => join(folder, `${encodeURIComponent(server)}.json`)
  let drafts = 0
  return {
    async load(server) {
      try {
        return pinsFile.parse(JSON.parse(await readFile(pathOf(server), 'utf8')))
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
        throw error
      }
    },
    async save(server, pins) {
      const path = pathOf(server)
      const draft = `${path}.${process.pid}-${drafts++}`
      await mkdir(dirname(path), { recursive: true })
      await writeFile(draft, JSON.stringify(pins), { mode: 0o600 })
      await rename(draft, path)
    },
  }
}

/** The same value with the members of its objects in one order: a server may list them in any. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]))
}
