import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { freePort } from '@cool-ai/beach-testing/free-port'
import { expect, onTestFinished, test } from 'vitest'
import { runTutorial } from '../scripts/docs/run-tutorial.ts'

// Not below node_modules: Node does not strip types there.
const folder = fileURLToPath(new URL('../build/tutorial/', import.meta.url))
const command = fileURLToPath(new URL('../packages/beach/src/command/beach.ts', import.meta.url))
const page = fileURLToPath(new URL('../docs/tutorial.md', import.meta.url))

test('a reader who follows the tutorial has an agent that refunds by mail, also over a crash, a test and an evaluation that pass', async () => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(`${folder}package.json`, '{"type":"module"}')
  const run = runTutorial({ page, folder, port: await freePort(), command, nodeArgs: ['--conditions=@cool-ai/source'] })
  await expect(run).resolves.toBeUndefined()
})
