import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { completionFor } from '../../packages/beach/src/command/completion.ts'
import { wholeProgram } from '../../packages/beach/src/command/program.ts'
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

describe('a running agent', () => {
  // One for all of these tests: starting it takes longer than what they ask of it.
  let agent: ReturnType<typeof startBeach>
  let url = ''
  const stopped = () => {
    agent.child.kill('SIGTERM')
    return agent.done
  }
  beforeAll(async () => {
    agent = startBeach(['start', '--json'], { cwd, env })
    url = (await agent.said(/"url":"(http:[^"]+)"/))[1] ?? ''
  })
  afterAll(stopped)

  test('is called: beach call shows its answer, without escape sequences, and goes on with the conversation', async () => {
    const said = await runBeach(['call', url, 'hello'], { cwd })
    expect(said).toMatchObject({ code: 0, out: 'You said: hello red\n' })
    const [, context = ''] = /--context (\S+)/.exec(said.err) ?? []
    const json = await runBeach(['call', url, 'again', '--context', context, '--json'], { cwd })
    expect(JSON.parse(json.out)).toMatchObject({ peer: 'clerk', state: 'complete', contextId: context })
  })

  test('asks for an approval in the terminal, and shows what comes after the answer', async () => {
    const [granted, denied, open] = await Promise.all([
      runBeach(['call', url, 'pay', '--ask'], { cwd, input: 'y\n' }),
      runBeach(['call', url, 'pay', '--ask'], { cwd, input: 'n too much\n' }),
      runBeach(['call', url, 'pay'], { cwd }),
    ])
    expect(granted.err).toContain('\n  Invoice: A1\n')
    expect(granted).toMatchObject({ code: 0, out: expect.stringContaining('Outcome: ok') as string })
    expect(denied.out).toContain('Outcome: denied')
    expect(open).toMatchObject({ code: 1, err: expect.stringContaining('stays open') as string })
  })

  test('shows its card, as it was built and is valid', async () => {
    writeFileSync(join(cwd, 'wrong.json'), JSON.stringify({ id: 'clerk', nmae: 'Clerk' }))
    const [built, wrong, missing, fetched] = await Promise.all([
      beach('card', 'build', '--url', 'https://clerk.example'),
      beach('card', 'validate', 'wrong.json'),
      beach('card', 'validate', 'package.json.not'),
      beach('card', 'fetch', url),
    ])
    expect(JSON.parse(built.out)).toMatchObject({ name: 'Clerk' })
    expect(built.out).toContain('https://clerk.example/a2a')
    expect(wrong).toMatchObject({ code: 1, out: expect.stringContaining('name') as string })
    expect(missing.code).toBe(2)
    expect(fetched.out).toContain('Pays invoices.')
    writeFileSync(join(cwd, 'card.json'), built.out)
    expect(await beach('card', 'validate', 'card.json')).toMatchObject({ code: 0 })
  })

  test('has what waits decided by its API, and without it on its data', async () => {
    const list = async (...args: string[]) =>
      (
        JSON.parse((await runBeach(['approvals', 'list', '--json', ...args], { cwd, env })).out) as {
          items: { approvalId: string; sessionId: string }[]
        }
      ).items
    await Promise.all([runBeach(['call', url, 'pay'], { cwd }), runBeach(['call', url, 'pay'], { cwd })])
    const [first, second] = await list('--url', url)
    const byApi = (...args: string[]) => runBeach([...args, '--url', url], { cwd, env })
    const [decided, erased, listed, shownByApi] = await Promise.all([
      byApi('approvals', 'deny', first?.approvalId ?? ''),
      // The agent ends the turn, for which the command waits.
      beach('erase', '--session', second?.sessionId ?? '', '--yes'),
      byApi('sessions', 'list'),
      byApi('sessions', 'show', first?.sessionId ?? ''),
    ])
    expect(decided).toMatchObject({ code: 0, out: expect.stringContaining('is denied') as string })
    expect(decided.err).toContain('\n  Invoice: A1\n')
    expect(erased).toMatchObject({ code: 0 })
    expect(listed.out).toMatch(/^session +opened +state +first words\n[^]*sess_\w+ .* pay\n/)
    expect(shownByApi.out).toMatch(/\nstate +\w+\n[^]*\n {2}pay\n\nclerk\n/)
    await stopped()
    const waiting = await list()
    const [next] = waiting
    expect(await beach('approvals', 'grant', next?.approvalId ?? '', '--reason', 'agreed')).toMatchObject({ code: 0 })
    const [left, again, sessions, letters, retried] = await Promise.all([
      list(),
      beach('approvals', 'grant', next?.approvalId ?? ''),
      beach('sessions', 'list', '--json'),
      beach('deliveries', 'list'),
      beach('deliveries', 'retry', 'ses_none', 'x'),
    ])
    expect(left).toHaveLength(waiting.length - 1)
    expect(again.code).toBe(1)
    expect(letters).toMatchObject({ code: 0, out: 'There are no dead letters.\n' })
    expect(retried.code).toBe(1)
    const { items } = JSON.parse(sessions.out) as { items: { sessionId: string }[] }
    expect(items.length).toBeGreaterThan(2)
    expect(sessions.out).toContain('"title": "pay"')
    const [shown, forPrograms] = await Promise.all([
      beach('sessions', 'show', items.at(-1)?.sessionId ?? ''),
      beach('sessions', 'show', items.at(-1)?.sessionId ?? '', '--json'),
    ])
    expect(shown.out).toMatch(/^sess_\w+\nowner +anonymous~\w+, tenant default\n/)
    expect(shown.out).toMatch(/\n\na2a_\w+\n {2}\w+\n\nclerk\n {2}(?:response: |asks to call ).*\n {2}= \w+\n/)
    expect(JSON.parse(forPrograms.out)).toMatchObject({ sessionId: items.at(-1)?.sessionId })
  })
})

test('a command that cannot do what it is asked ends with 1, one with wrong input with 2, and both say why', async () => {
  const asked = [
    [['sessions', 'list', '--url', 'http://127.0.0.1:1'], 1, 'Is it running?'],
    [['sessions', 'list', '--url', 'nowhere'], 2, 'is not an address'],
    [['call', 'nowhere', 'hello'], 2, 'is not the address of an agent'],
    [['call', 'http://127.0.0.1:1', 'hello'], 1, '127.0.0.1'],
  ] as const
  const answers = asked.map(async ([args, code, problem]) => {
    const err = expect.stringContaining(problem) as string
    expect(await runBeach(args, { cwd, env }), args.join(' ')).toMatchObject({ code, err })
  })
  await Promise.all(answers)
})

test('beach dev starts the agent again when a file changes, and keeps its sessions', async () => {
  const agent = startBeach(['dev', '--port', '0'], { cwd, env })
  const [, first = ''] = await agent.said(/listens on (http:\S+)/)
  const before = await runBeach(['call', first, 'one'], { cwd })
  const [, context = ''] = /--context (\S+)/.exec(before.err) ?? []
  const changed = config('Changed')
    .replace(/defineConfig\((?=\{)/, 'defineConfig(({ command }) => (')
    .replace(/\)\s*$/, '))')
  project.write('beach.config.ts', changed.replace("'Clerk'", "'Clerk in ' + command"))
  const [, second = ''] = await agent.said(/Clerk in dev listens on (http:\S+)/)
  const after = await runBeach(['call', second, 'two', '--context', context], { cwd })
  expect(after.out).toContain('Changed: two')
  expect(after.err).toContain(context)
  project.write('beach.config.ts', 'export default {')
  await agent.said(/is started again when a file changes/)
  project.write('beach.config.ts', config())
  await agent.said(/Clerk in dev listens on [\s\S]*Clerk listens on/)
  agent.child.kill('SIGTERM')
  expect((await agent.done).code).toBe(0)
})

test('beach mcp serves the agent on pipes, from any folder with the data beside the configuration', async () => {
  const { Client } = await import('@modelcontextprotocol/client')
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
  const bin = new URL('../../packages/beach/src/command/beach.ts', import.meta.url).pathname
  const client = new Client({ name: 'test', version: '1.0.0' })
  const args = ['--conditions=@cool-ai/source', bin, 'mcp', '--config', join(cwd, 'beach.config.ts')]
  const elsewhere = join(cwd, 'elsewhere')
  mkdirSync(elsewhere)
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: elsewhere, env: { ...env, PATH: '' } }),
  )
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('ask_clerk')
  await client.close()
  expect(readdirSync(elsewhere)).toEqual([])
})

test('beach doctor finds what is missing, and says what to do', async () => {
  const [{ code, out }, sound] = await Promise.all([
    runBeach(['doctor', '--json'], { cwd, env: { ...env, BEACH_SECRET: 'short' } }),
    runBeach(['doctor'], { cwd, env }),
  ])
  const { findings } = JSON.parse(out) as { findings: { check: string; status: string; advice?: string }[] }
  expect(code).toBe(1)
  expect(findings.find(({ check }) => check === 'secret')).toMatchObject({ status: 'problem' })
  expect(findings.filter(({ status }) => status !== 'ok').every(({ advice }) => (advice ?? '') !== '')).toBe(true)
  expect(findings.map(({ check }) => check)).toEqual(
    expect.arrayContaining(['node', 'versions', 'store', 'permissions']),
  )
  expect(sound).toMatchObject({ code: 0, out: expect.stringContaining('Only its owner can read .beach') as string })
  execFileSync('chmod', ['go+r', join(cwd, '.beach/beach.db')])
  const open = await runBeach(['doctor'], { cwd, env })
  expect(open).toMatchObject({ code: 1, out: expect.stringContaining('chmod -R go-rwx .beach') as string })
  execFileSync('chmod', ['go-r', join(cwd, '.beach/beach.db')])
})

test('completion in bash offers commands, their commands and options', async () => {
  const { out } = await beach('completion', 'bash')
  const program = await wholeProgram()
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
  expect(complete('data', ''), 'options come after a dash').not.toContain('--help')
  expect(complete('data', 'check', 'packages/be')).toEqual(['packages/beach'])
  expect(complete('backup', '.beach', '--k')).toEqual(['--keep'])
  expect(out, 'as it was made').toContain(completionFor('bash', program))
  expect(completionFor('zsh', program)).toMatch(/^#compdef beach\n[^]*_bash_complete -o filenames -F _beach; fi$/)
  const fish = completionFor('fish', program)
  expect(fish).toContain('-a doctor')
  expect(fish, 'after `data check`, files').toContain('; and not __fish_seen_subcommand_from check rescue ')
  expect(fish, 'an option with a value').toContain("-n '__fish_seen_subcommand_from init' -r -l template")
})
