import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createBeach, defineActor } from '@cool-ai/beach'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runBeach, scratchProject } from '../support/beach-command.ts'

const project = scratchProject()
const cwd = project.folder
const owner = { kind: 'user', id: 'anna', tenant: 'default' } as const
let session = ''

/** The configuration of an agent that answers with these words. */
const config = (words: string) => `
import { defineActor, defineConfig } from '@cool-ai/beach'

const greeter = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'response', text: '${words}' + text }], turnState: 'complete' })
})
export default defineConfig({ agent: { id: 'greeter', name: 'Greeter' }, actors: { greeter }, data: '.beach' })
`

beforeAll(async () => {
  const greeter = defineActor(async ({ text, respond }) => {
    await respond({ parts: [{ partType: 'response', text: `You said: ${text}` }], turnState: 'complete' })
  })
  const about = { id: 'greeter', name: 'Greeter' }
  const agent = await createBeach({ agent: about, data: join(cwd, '.beach'), actors: { greeter } })
  session = await agent.sessions.open({ principal: owner })
  const from = { id: 'web', transport: 'http', deliveryClass: 'streaming', principal: owner } as const
  const parts = [{ text: 'hello', metadata: { partType: 'message' } }]
  await agent.sessions.post(session, { parts, from }, owner)
  await agent.close({ graceMs: 5_000 })
})
afterAll(() => project[Symbol.dispose]())

const beach = (...args: string[]) => runBeach(args, { cwd })

test(
  'beach replay says that the code of today leads to the same log, or what is different',
  { timeout: 60_000 },
  async () => {
    writeFileSync(join(cwd, 'beach.config.ts'), config('You said: '))
    const same = await beach('replay', session)
    expect(same).toMatchObject({ code: 0, err: '' })
    expect(same.out).toMatch(/^Same: sess_\w+ leads to the same log again \(1 turn, \d+ events\)\.\n$/)
    writeFileSync(join(cwd, 'beach.config.ts'), config('You whispered: '))
    const other = await beach('replay', session)
    expect(other.code).toBe(1)
    expect(other.out).toContain('  ~ You [-said:-]{+whispered:+} hello\n')
    const report = await beach('replay', session, '--json')
    expect(report.code).toBe(1)
    expect(JSON.parse(report.out)).toMatchObject({ same: false, turns: [{ asked: 'hello', change: 'changed' }] })
  },
)

test('beach replay refuses what it cannot replay, with a sentence', { timeout: 60_000 }, async () => {
  writeFileSync(join(cwd, 'beach.config.ts'), config('You said: '))
  expect(await beach('replay', 'sess_none')).toMatchObject({ code: 1, err: expect.stringContaining('no session') })
  expect(await beach('replay', session, '--turns', 'x')).toMatchObject({ code: 2 })
  const prompted = await beach('replay', session, '--instructions', 'none.md')
  expect(prompted).toMatchObject({ code: 2, err: expect.stringContaining('no file or folder none.md') })
})
