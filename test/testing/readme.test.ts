import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const readme = readFileSync(new URL('../../packages/testing/README.md', import.meta.url), 'utf8')
const samples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)
const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

test('each sample of the README is a file of this folder, which runs as it is', () => {
  const files = ['greeter.test.ts', 'clerk.test.ts', 'node-test.ts', 'whatsapp.test.ts', 'store.test.ts']
  expect(samples).toEqual(files.map(read))
})

test('the sample for node:test passes there', async () => {
  const path = fileURLToPath(new URL('node-test.ts', import.meta.url))
  const args = ['--conditions=@cool-ai/source', '--test', '--test-reporter=tap', path]
  // Node's runner reports to a parent that is a test of Node's itself.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, args, { env })
  expect(stdout).toContain('# pass 1\n')
  expect(stdout).toContain('# fail 0\n')
})
