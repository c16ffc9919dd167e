import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { defined } from '@cool-ai/beach-core/runtime'
import type { Tool } from '@modelcontextprotocol/client'
import * as z from 'zod'

/** A tool as it was when first used. */
export interface Pin {
  readonly hash: string
  /** What was said of it then; absent in pins that were kept before this was. */
  readonly about?: Pick<Tool, 'title' | 'description'> & { readonly inputSchema: unknown }
}

/** A server's tools as they were when first used, by the server's own names. */
export type Pins = Readonly<Record<string, Pin>>

/** Where pins are kept, by the name that the server was given here. */
export interface ToolPins {
  /** Undefined for a server that was never used. */
  load(server: string): Promise<Pins | undefined>
  save(server: string, pins: Pins): Promise<void>
}

/** A hash of all that a model is told of a tool. */
export function toolHash({ name, title, description, inputSchema }: Tool): string {
  const about = inOneOrder({ name, title, description, inputSchema })
  return createHash('sha256').update(JSON.stringify(about)).digest('base64url')
}

/** A tool as it is now, to be relied on. */
export function toPin(tool: Tool): Pin {
  const { title, description, inputSchema } = tool
  return { hash: toolHash(tool), about: defined({ title, description, inputSchema }) }
}

/** Pins that last as long as the process. */
export function memoryToolPins(): ToolPins {
  const kept = new Map<string, Pins>()
  return {
    load: async (server) => kept.get(server),
    save: async (server, pins) => void kept.set(server, pins),
  }
}

const pin = z.object({
  hash: z.string(),
  about: z
    .object({ title: z.string().exactOptional(), description: z.string().exactOptional(), inputSchema: z.unknown() })
    .exactOptional(),
})
// Files that were written before pins were more than hashes.
const hashOnly = z.string().transform((hash): Pin => ({ hash }))
const pinsFile = z.record(z.string(), z.union([pin, hashOnly]))

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
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeFile(draft, JSON.stringify(pins), { mode: 0o600 })
      await rename(draft, path)
    },
  }
}

/** The same value with the members of its objects in one order: a server may list them in any. */
export function inOneOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(inOneOrder)
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([name, member]) => [name, inOneOrder(member)]))
}
