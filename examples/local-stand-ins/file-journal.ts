import { appendFileSync, chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { BeachError } from '@cool-ai/beach-core'
import type { Journal } from '@cool-ai/beach-testing/mail'
import type { z } from 'zod'

const maxEntries = 1_000

/**
 * A journal in a file, one entry in a line. An entry is there before it is acted upon; the line that a crash has left
 * unfinished is no entry. Old ones go when the file is opened.
 */
export function fileJournal<Entry>(path: string, schema: z.ZodType<Entry>): Journal<Entry> {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // An earlier version has left it open to others.
    chmodSync(dirname(path), 0o700)
    const text = written(path)
    if (text !== '') chmodSync(path, 0o600)
    const all = text.split('\n').flatMap((line) => parsed(line, schema) ?? [])
    const past = all.slice(-maxEntries)
    if (past.length < all.length || (text !== '' && !text.endsWith('\n'))) rewrite(path, past)
    return { past, add: (entry) => appendFileSync(path, `${JSON.stringify(entry)}\n`, { mode: 0o600 }) }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new BeachError('INVALID_CONFIGURATION', `The mail and messages in ${path} cannot be used: ${reason}`, {
      cause,
    })
  }
}

function written(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}

function parsed<Entry>(line: string, schema: z.ZodType<Entry>): Entry | undefined {
  try {
    return schema.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

/** All or nothing: written next to the old file, and put in its place by one rename. */
function rewrite(path: string, entries: readonly unknown[]): void {
  const draft = `${path}.${process.pid}.draft`
  writeFileSync(draft, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''), { mode: 0o600 })
  renameSync(draft, path)
}
