import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'beach-memory-'))

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/**
 * Minor collections are cheap as long as little survives them. What is kept by mistake until the next major one shows in no figure
 * and costs a fifth of a turn: a getter in an object, a `Map` that much passes through, a `WeakMap`.
 */
test('almost nothing of a turn grows old', () => {
  const program = fileURLToPath(new URL('turns-program.ts', import.meta.url))
  const args = ['--expose-gc', '--conditions=@cool-ai/source', program, folder]
  expect(Number(execFileSync(process.execPath, args, { encoding: 'utf8' }))).toBeLessThan(6_000)
})
