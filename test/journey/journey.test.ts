import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const program = fileURLToPath(new URL('journey-program.ts', import.meta.url))

test('one message passes at most 75 files and 280 functions, from POST to the frame that settles its turn', () => {
  const folder = mkdtempSync(join(tmpdir(), 'beach-journey-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const printed = execFileSync(process.execPath, ['--conditions=@cool-ai/source', program, folder], {
    encoding: 'utf8',
  })
  const all = JSON.parse(printed) as { readonly path: string; readonly functions: number }[]
  // Missives and figures are made when there is time: on a busy machine that may be before the last frame.
  const passed = all.filter(({ path }) => !/^packages\/(?:missives|inspect)\//.test(path))
  const paths = passed.map(({ path }) => path)
  expect(paths).toContain('packages/web/src/sse/encode.ts')
  expect(paths).toContain('packages/core/src/session-log.ts')
  const functions = passed.reduce((sum, file) => sum + file.functions, 0)
  const counts = passed.map(({ path, functions: count }) => `${count} ${path}`).join('\n')
  expect(passed.length, counts).toBeLessThanOrEqual(75)
  expect(functions, counts).toBeLessThanOrEqual(280)
})
