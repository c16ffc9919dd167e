import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createBeach, defineActor } from '@cool-ai/beach'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runBeach, scratchProject, startBeach, type Finished } from '../support/beach-command.ts'

const project = scratchProject()
const cwd = project.folder
const beach = (...args: string[]) => runBeach(args, { cwd })
const result = ({ out }: Finished) => JSON.parse(out) as Record<string, unknown>
const sessions: string[] = []
const owner = { kind: 'user', id: 'anna', tenant: 'default' } as const

beforeAll(async () => {
  const greeter = defineActor(async ({ text, respond }) => {
    await respond({ parts: [{ partType: 'response', text: `You said: ${text}` }], turnState: 'complete' })
  })
  const agent = await createBeach({
    agent: { id: 'greeter', name: 'Greeter' },
    data: join(cwd, '.beach'),
    actors: { greeter },
  })
  for (const text of ['canary one', 'canary two']) {
    const session = await agent.sessions.open({ principal: owner })
    const from = { id: 'web', transport: 'http', deliveryClass: 'streaming', principal: owner } as const
    await agent.sessions.post(session, { parts: [{ text, metadata: { partType: 'message' } }], from }, owner)
    sessions.push(session)
  }
  await agent.close({ graceMs: 5_000 })
})
afterAll(() => project[Symbol.dispose]())

// What reads may do so side by side.
test.concurrent('beach data check says whether a folder is whole, to people and to programs', async () => {
  const [said, json] = await Promise.all([beach('data', 'check', '.beach'), beach('data', 'check', '.beach', '--json')])
  expect(said).toEqual({ code: 0, out: '.beach is whole.\n', err: '' })
  expect(result(json)).toEqual({ folder: '.beach', isWhole: true, problems: [] })
})

test.concurrent('beach-data still works, and says its new name', async () => {
  const bin = 'packages/beach/src/data/data-command.ts'
  const alias = (...args: string[]) => startBeach(args, { cwd, bin }).done
  const [done, wrong] = await Promise.all([alias('check', '.beach'), alias('cehck', '.beach')])
  expect(done).toMatchObject({ code: 0, out: '.beach is whole.\n' })
  expect(done.err).toContain('beach data check')
  expect(wrong.code).toBe(2)
})

test.concurrent('a backup is whole, private, and can be imported; older ones go', async () => {
  const first = await beach('backup', '--to', 'backups')
  expect(first.code).toBe(0)
  const file = first.out.trim()
  expect(statSync(join(cwd, file)).mode & 0o777).toBe(0o600)
  expect(first.err).toContain('Backed up and read back: 3 logs')
  expect((await beach('import', 'restored', '--in', file)).code).toBe(0)
  expect((await beach('data', 'check', 'restored')).code).toBe(0)
  const second = result(await beach('backup', '.beach', '--to', 'backups', '--keep', '1', '--json'))
  expect(second).toMatchObject({ counts: { session: 3 }, deleted: [file.replace('backups/', '')] })
  expect(readdirSync(join(cwd, 'backups'))).toHaveLength(1)
})

test.concurrent('a backup that fails leaves nothing behind, and deletes nothing', async () => {
  const earlier = ['beach-2026-01-01T00-00-00-000Z.jsonl', 'beach-2026-01-02T00-00-00-000Z.jsonl']
  mkdirSync(join(cwd, 'others'))
  for (const name of earlier) project.write(`others/${name}`, '')
  const { code, err } = await beach('backup', 'nowhere', '--to', 'others', '--keep', '1')
  expect(code).toBe(2)
  expect(err).toContain('it has no beach.db')
  expect(readdirSync(join(cwd, 'others'))).toEqual(earlier)
})

test.concurrent('an export does not overwrite a file', async () => {
  project.write('there.jsonl', 'mine')
  const { code, err } = await beach('export', '.beach', '--out', 'there.jsonl')
  expect(code).toBe(2)
  expect(err).toContain('there.jsonl is there already, and stays as it is.')
  expect(readFileSync(join(cwd, 'there.jsonl'), 'utf8')).toBe('mine')
})

test.concurrent('erase asks first, and does nothing without a terminal', async () => {
  const [session = ''] = sessions
  const [asked, nothing] = await Promise.all([beach('erase', '.beach', '--session', session), beach('erase', '.beach')])
  expect(asked).toMatchObject({ code: 2, err: expect.stringContaining('--yes') as string })
  expect(nothing.code).toBe(2)
  expect((await beach('export', '.beach')).out).toContain('canary one')
})

test('what is kept of a person is exported, and that it was is on record', async () => {
  const person = 'principal:user~anna'
  const exported = await beach('export', '.beach', '--person', person)
  expect(exported.code).toBe(0)
  expect(exported.err).toBe('Exported: 2 sessions, 4 messages.\n')
  const lines = exported.out.trim().split('\n')
  const kinds = lines.map((line) => (JSON.parse(line) as { kind: string }).kind)
  expect(kinds).toEqual(['person', 'session', 'session', 'message', 'message', 'message', 'message'])
  expect(exported.out).toContain('canary two')
  expect((await beach('audit', 'export', '--data', '.beach')).out).toContain('person.export')
  const file = result(await beach('export', '.beach', '--person', person, '--out', 'anna.jsonl', '--json'))
  expect(file).toEqual({ file: 'anna.jsonl', counts: { session: 2, message: 4 } })
  expect(statSync(join(cwd, 'anna.jsonl')).mode & 0o777).toBe(0o600)
  const nobody = await beach('export', '.beach', '--person', 'email:nobody@example.com')
  expect(nobody).toMatchObject({ code: 1, out: '', err: expect.stringContaining('There is nothing of') })
  expect((await beach('export', '.beach', '--tenant', 'acme')).code).toBe(2)
})

test('a session, and a person, are erased for good', async () => {
  const [session = ''] = sessions
  expect(await beach('erase', '.beach', '--session', session, '--yes')).toMatchObject({ code: 0 })
  const after = (await beach('export', '.beach')).out
  expect(after).not.toContain('canary one')
  expect(after).toContain('canary two')
  expect((await beach('erase', '.beach', '--session', session, '--yes')).code).not.toBe(2)
  const erased = await beach('erase', '.beach', '--person', 'principal:user~anna', '--yes', '--json')
  expect(result(erased)).toEqual({ erased: { person: 'principal:user~anna' } })
  expect((await beach('export', '.beach')).out).not.toContain('canary')
  const again = await beach('erase', '.beach', '--person', 'principal:user~anna', '--tenant', 'acme', '--yes')
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining("in the tenant 'acme'") })
  expect(existsSync(join(cwd, '.beach', 'beach.db'))).toBe(true)
})

test('a session that is not there is said', async () => {
  const { code, err } = await beach('erase', '.beach', '--session', 'ses_\u001B[31mred', '--yes')
  expect(code).toBe(1)
  expect(err).toBe('Error: There is no session ses_red in this data.\n')
})
