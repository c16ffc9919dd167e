import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { runBeach, scratchProject, startBeach } from '../support/beach-command.ts'

const project = scratchProject()
const cwd = project.folder
afterAll(() => project[Symbol.dispose]())
const beach = (...args: string[]) => runBeach(args, { cwd })
const token = 'operator-token-of-at-least-32-characters'

const config = (answer = 'You said') => `
import { defineActor, defineConfig } from '@cool-ai/beach'
const clerk = defineActor(async ({ text, respond, tool }) => {
  if (text.startsWith('pay')) {
    const { outcome } = await tool({ name: 'pay', args: { invoice: 'A1' }, requiresApproval: true }, async () => 'paid')
    return respond({ parts: [{ partType: 'response', text: 'Outcome: ' + outcome }], turnState: 'complete' })
  }
  await respond({ parts: [{ partType: 'response', text: '${answer}: ' + text + ' \\u001B[31mred\\u001B[0m' }], turnState: 'complete' })
})
export default defineConfig({
  agent: { id: 'clerk', name: 'Clerk', description: 'Pays invoices.', capabilities: [{ id: 'pay', description: 'Pays.' }] },
  data: '.beach',
  actors: { clerk },
  port: 0,
  inspect: { operators: { anna: process.env.ANNA_TOKEN ?? '' } },
})
`
project.write('beach.config.ts', config())
const env = { ANNA_TOKEN: token, BEACH_OPERATOR_TOKEN: token }

async function running() {
  const agent = startBeach(['start', '--json'], { cwd, env })
  const [, url = ''] = await agent.said(/"url":"(http:[^"]+)"/)
  return {
    url,
    async [Symbol.asyncDispose]() {
      agent.child.kill('SIGTERM')
      await agent.done
    },
  }
}

test('beach call shows the answer, without escape sequences, and goes on with the conversation', async () => {
  await using agent = await running()
  const said = await runBeach(['call', agent.url, 'hello'], { cwd })
  expect(said).toMatchObject({ code: 0, out: 'You said: hello red\n' })
  const [, context = ''] = /--context (\S+)/.exec(said.err) ?? []
  const json = await runBeach(['call', agent.url, 'again', '--context', context, '--json'], { cwd })
  expect(JSON.parse(json.out)).toMatchObject({ peer: 'clerk', state: 'complete', contextId: context })
})

test('an approval is answered in the terminal, and what comes after it is shown', async () => {
  await using agent = await running()
  const granted = await runBeach(['call', agent.url, 'pay', '--ask'], { cwd, input: 'y\n' })
  expect(granted.err).toContain('"invoice": "A1"')
  expect(granted).toMatchObject({ code: 0, out: expect.stringContaining('Outcome: ok') as string })
  const denied = await runBeach(['call', agent.url, 'pay', '--ask'], { cwd, input: 'n too much\n' })
  expect(denied.out).toContain('Outcome: denied')
  const open = await runBeach(['call', agent.url, 'pay'], { cwd })
  expect(open).toMatchObject({ code: 1, err: expect.stringContaining('stays open') as string })
})

test('what waits is decided by the API of the running agent, and without it on its data', async () => {
  const list = async (...args: string[]) =>
    (
      JSON.parse((await runBeach(['approvals', 'list', '--json', ...args], { cwd, env })).out) as {
        items: { approvalId: string }[]
      }
    ).items
  {
    await using agent = await running()
    await runBeach(['call', agent.url, 'pay'], { cwd })
    const [first] = await list('--url', agent.url)
    const decided = await runBeach(['approvals', 'deny', first?.approvalId ?? '', '--url', agent.url], { cwd, env })
    expect(decided).toMatchObject({ code: 0, out: expect.stringContaining('is denied') as string })
    await runBeach(['call', agent.url, 'pay'], { cwd })
  }
  const waiting = await list()
  const [next] = waiting
  expect(await beach('approvals', 'grant', next?.approvalId ?? '', '--reason', 'agreed')).toMatchObject({ code: 0 })
  expect(await list()).toHaveLength(waiting.length - 1)
  expect((await beach('approvals', 'grant', next?.approvalId ?? '')).code).toBe(1)
  const sessions = JSON.parse((await beach('sessions', 'list', '--json')).out) as { items: { sessionId: string }[] }
  expect(sessions.items.length).toBeGreaterThan(2)
  const shown = await beach('sessions', 'show', sessions.items[0]?.sessionId ?? '')
  expect(JSON.parse(shown.out)).toMatchObject({ sessionId: sessions.items[0]?.sessionId })
  expect(await beach('deliveries', 'list')).toMatchObject({ code: 0, out: 'There are no dead letters.\n' })
  expect((await beach('deliveries', 'retry', 'ses_none', 'x')).code).toBe(1)
})

test.each([
  [['sessions', 'list', '--url', 'http://127.0.0.1:1'], 1, 'Is it running?'],
  [['sessions', 'list', '--url', 'nowhere'], 2, 'is not an address'],
  [['call', 'nowhere', 'hello'], 2, 'is not the address of an agent'],
  [['call', 'http://127.0.0.1:1', 'hello'], 1, '127.0.0.1'],
])('beach %j ends with %i and says why', async (args, expected, problem) => {
  const { code, err } = await runBeach(args, { cwd, env })
  expect(code).toBe(expected)
  expect(err).toContain(problem)
})

test('a card is built, validated and fetched', async () => {
  const built = await beach('card', 'build', '--url', 'https://clerk.example')
  expect(JSON.parse(built.out)).toMatchObject({ name: 'Clerk' })
  expect(built.out).toContain('https://clerk.example/a2a')
  writeFileSync(join(cwd, 'card.json'), built.out)
  expect(await beach('card', 'validate', 'card.json')).toMatchObject({ code: 0 })
  writeFileSync(join(cwd, 'wrong.json'), JSON.stringify({ id: 'clerk', nmae: 'Clerk' }))
  expect(await beach('card', 'validate', 'wrong.json')).toMatchObject({
    code: 1,
    out: expect.stringContaining('name') as string,
  })
  expect((await beach('card', 'validate', 'package.json.not')).code).toBe(2)
  await using agent = await running()
  expect((await beach('card', 'fetch', agent.url)).out).toContain('Pays invoices.')
})

test('beach dev starts the agent again when a file changes, and keeps its sessions', async () => {
  const agent = startBeach(['dev', '--port', '0'], { cwd, env })
  const [, first = ''] = await agent.said(/listens on (http:\S+)/)
  const before = await runBeach(['call', first, 'one'], { cwd })
  const [, context = ''] = /--context (\S+)/.exec(before.err) ?? []
  project.write('beach.config.ts', config('Changed'))
  const [, second = ''] = await agent.said(/listens on [\s\S]*listens on (http:\S+)/)
  const after = await runBeach(['call', second, 'two', '--context', context], { cwd })
  expect(after.out).toContain('Changed: two')
  expect(after.err).toContain(context)
  project.write('beach.config.ts', 'export default {')
  await agent.said(/is started again when a file changes/)
  project.write('beach.config.ts', config())
  await agent.said(/listens on [\s\S]*listens on [\s\S]*listens on (http:\S+)/)
  agent.child.kill('SIGTERM')
  expect((await agent.done).code).toBe(0)
})

test('beach mcp serves the agent on pipes', async () => {
  const { Client } = await import('@modelcontextprotocol/client')
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
  const bin = new URL('../../packages/beach/src/command/beach.ts', import.meta.url).pathname
  const client = new Client({ name: 'test', version: '1.0.0' })
  const args = ['--conditions=@cool-ai/source', bin, 'mcp']
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd, env: { ...env, PATH: '' } }))
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('ask_clerk')
  await client.close()
})

test('beach doctor finds what is missing, and says what to do', async () => {
  const { code, out } = await runBeach(['doctor', '--json'], { cwd, env: { ...env, BEACH_SECRET: 'short' } })
  const { findings } = JSON.parse(out) as { findings: { check: string; status: string; advice?: string }[] }
  expect(code).toBe(1)
  expect(findings.find(({ check }) => check === 'secret')).toMatchObject({ status: 'problem' })
  expect(findings.filter(({ status }) => status !== 'ok').every(({ advice }) => (advice ?? '') !== '')).toBe(true)
  expect(findings.map(({ check }) => check)).toEqual(
    expect.arrayContaining(['node', 'versions', 'store', 'permissions']),
  )
  const sound = await runBeach(['doctor'], { cwd, env })
  expect(sound).toMatchObject({ code: 0, out: expect.stringContaining('Only its owner can read .beach') as string })
  execFileSync('chmod', ['go+r', join(cwd, '.beach/beach.db')])
  const open = await runBeach(['doctor'], { cwd, env })
  expect(open).toMatchObject({ code: 1, out: expect.stringContaining('chmod -R go-rwx .beach') as string })
  execFileSync('chmod', ['go-r', join(cwd, '.beach/beach.db')])
})

test('completion in bash offers commands, their commands and options', async () => {
  const { out } = await beach('completion', 'bash')
  const complete = (...words: string[]) =>
    execFileSync('bash', [
      '-c',
      `${out}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _beach; printf '%s\\n' "\${COMPREPLY[@]}"`,
      'beach',
      'beach',
      ...words,
    ])
      .toString()
      .trim()
      .split('\n')
  expect(complete('ca')).toEqual(['call', 'card'])
  expect(complete('data', '')).toEqual(expect.arrayContaining(['check', 'rescue', 'migrate']))
  expect(complete('backup', '.beach', '--k')).toEqual(['--keep'])
  expect((await beach('completion', 'zsh')).out).toContain('#compdef beach')
  expect((await beach('completion', 'fish')).out).toContain('-a doctor')
})
