import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { runBeach, scratchProject } from '../support/beach-command.ts'

const bin = fileURLToPath(new URL('../../packages/beach/src/command/beach.ts', import.meta.url))
const scratch = scratchProject({
  'beach.config.ts': `import { defineActor, defineConfig } from '@cool-ai/beach'
const clerk = defineActor(async ({ respond }) => {
  await respond({ parts: [{ partType: 'response', text: 'Hello.' }], turnState: 'complete' })
})
export default defineConfig({ agent: { id: 'clerk', name: 'Clerk', description: 'Greets.' }, data: 'memory', actors: { clerk } })`,
  'card.txt': 'no JSON',
})
const cwd = scratch.folder
afterAll(() => scratch[Symbol.dispose]())

test.each([
  [['sessions', 'list', '--limit', 'abc'], "--limit is a whole number from 1 to 1000, not 'abc'."],
  [['replay', 'sess_1', '--turns', '0'], "--turns is a whole number from 1 to 999999, not '0'."],
  [['eval', '--runs', '1.5'], "--runs is a whole number from 1 to 1000, not '1.5'."],
  [['card', 'validate', 'none.json'], 'There is no file or folder none.json.'],
  [['card', 'validate', '.'], 'A folder was named where a file belongs.'],
  [['card', 'validate', 'card.txt'], 'card.txt is not JSON'],
  [['card', 'build', '--url', 'clerk'], "'clerk' is no address. Give one like https://clerk.example."],
  [['import', 'restored', '--in', 'none.jsonl'], 'There is no file or folder none.jsonl.'],
  [['call', 'http://127.0.0.1:9999', ' '], 'Say something: the text is empty.'],
  [['audit', 'export', '--format', 'xml'], '(beach audit export --help shows how)'],
])('beach %j ends with 2 and a sentence, and without a stack', async (args, sentence) => {
  const { code, out, err } = await runBeach(args, { cwd })
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain(sentence)
  expect(err).not.toContain('    at ')
})

test.each([[['sessions', 'list', '--limit', 'abc']], [['audit', 'export', '--format', 'xml']], [['nothing']]])(
  'to programs the error of beach %j is one value of JSON, and nothing besides',
  async (args) => {
    const { code, err } = await runBeach([...args, '--json'], { cwd })
    expect(code).toBe(2)
    expect(JSON.parse(err)).toEqual({ error: { code: 'BAD_REQUEST', message: expect.not.stringMatching(/^error:/) } })
  },
)

test('a reader that ends first, as `head` does, ends the command without a word', () => {
  const words = [process.execPath, '--conditions=@cool-ai/source', bin, 'completion', 'bash']
  const command = words.map((word) => `'${word}'`).join(' ')
  // The pipe has lost its reader before the command has anything to say.
  const { stderr } = spawnSync('sh', ['-c', `${command} | true`], { cwd, encoding: 'utf8' })
  expect(stderr).toBe('')
})

test('on a Node that is too old, the command says which one is needed', () => {
  const tooOld = `data:text/javascript,${encodeURIComponent("Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })")}`
  const args = ['--conditions=@cool-ai/source', `--import=${tooOld}`, bin, 'init']
  expect(() => execFileSync(process.execPath, args, { cwd, stdio: 'pipe' })).toThrow(
    'Beach needs Node 22.18 or later; this is 20.20.2.',
  )
})
