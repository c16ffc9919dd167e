import { afterAll, beforeEach, expect, test } from 'vitest'
import { runBeach, scratchProject, startBeach } from '../support/beach-command.ts'

const project = scratchProject()
const cwd = project.folder
afterAll(() => project[Symbol.dispose]())

const config = (options: string, before = '') => `
import { defineConfig, defineActor } from '@cool-ai/beach'
${before}
const greeter = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'response', text: 'You said: ' + text }], turnState: 'complete' })
})
export default defineConfig({ agent: { id: 'greeter', name: 'Greeter' }, actors: { greeter }, ${options} })
`

beforeEach(() => project.write('beach.config.ts', config(`data: 'memory', port: 0`)))

test('beach start serves the agent of the configuration, and ends in order on SIGTERM', async () => {
  const { child, said, done } = startBeach(['start'], { cwd })
  const [, url = ''] = await said(/Greeter listens on (http:\S+)/)
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  child.kill('SIGTERM')
  expect(await done).toMatchObject({ code: 0, err: '' })
})

test('a configuration may be a function, and PORT comes before its port', async () => {
  project.write(
    'beach.config.ts',
    `import { defineActor, defineConfig } from '@cool-ai/beach'
    const greeter = defineActor(async () => {})
    export default defineConfig(async ({ command }) => ({
      agent: { id: 'greeter', name: 'Greeter for ' + command },
      actors: { greeter },
      data: 'memory',
      port: 1,
    }))`,
  )
  const { child, said, done } = startBeach(['start', '--json'], { cwd, env: { PORT: '0' } })
  const [, url = ''] = await said(/"url":"(http:[^"]+)"/)
  expect(await (await fetch(url)).text()).toContain('Greeter for start')
  child.kill('SIGTERM')
  expect((await done).code).toBe(0)
})

test.each([
  [`data: 'memory', adress: {}`, 'There is no option `adress`. Did you mean `access`?'],
  [
    `data: 'memory', approvals: { approver: [] }`,
    'no option `approver` in `approvals`. Did you mean `approvals.approvers`?',
  ],
  [`data: 'memory', access: { limits: { viewer: { frame: 1 } } }`, 'Did you mean `access.limits.viewer.frames`?'],
  [`data: 'memory', peers: { travel: { ulr: 'https://a.example/' } }`, 'Did you mean `peers.travel.url`?'],
  [`data: 'memory', followUps: []`, 'Did you mean `approvals.followUps`?'],
  [`data: 'memory', zzzzzzzz: []`, 'There is no option `zzzzzzzz`. Known are: agent, data, '],
])('an unknown key is refused, and the nearest right one is named: %s', async (options, problem) => {
  project.write('beach.config.ts', config(options))
  const { code, out, err } = await runBeach(['start'], { cwd })
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(problem)
})

test.each([
  ['a member that is called like a secret', `inspect: { operators: { token: '0123456789abcdef-canary' } }`],
  ['a key of a model provider', `data: 'memory' })\nconst model = ({ key: 'sk-ant-api03-canary-0123456789' `],
  ['an address with a password', `data: 'postgres://beach:canary-word@db/beach'`],
])('a secret in the text of the configuration is refused without being printed: %s', async (_, options) => {
  project.write('beach.config.ts', config(options))
  const { code, err } = await runBeach(['start', '--json'], { cwd })
  expect(code).toBe(2)
  expect(JSON.parse(err)).toMatchObject({ error: { code: 'INVALID_CONFIGURATION' } })
  expect(err).toContain('process.env')
  expect(err).not.toContain('canary')
})

test('a secret from the environment is accepted', async () => {
  project.write(
    'beach.config.ts',
    config(`data: 'memory', port: 0, inspect: { operators: { anna: process.env.TOKEN ?? '' } }`),
  )
  const { child, said, done } = startBeach(['start'], { cwd, env: { TOKEN: 'x'.repeat(40) } })
  await said(/listens on/)
  child.kill('SIGTERM')
  expect(await done).toMatchObject({ code: 0 })
})

test.each([
  [['start', '--config', 'nowhere.ts'], 'There is no file nowhere.ts.'],
  [['start', '--port', 'x'], "'x' is not a port"],
  [['strat'], 'Did you mean start?'],
  [['start', '--prot', '1'], 'Did you mean --port?'],
])('beach %j ends with 2 and says what is wrong', async (args, problem) => {
  const { code, err } = await runBeach(args, { cwd })
  expect(code).toBe(2)
  expect(err).toContain(problem)
})

test('a configuration that does not load says why', async () => {
  project.write('beach.config.ts', 'export default { agent: ')
  const { code, err } = await runBeach(['start'], { cwd })
  expect(code).toBe(2)
  expect(err).toContain('beach.config.ts cannot be loaded: beach.config.ts:1: ')
  project.write('tool.ts', 'export {}\nthrow new Error("no key")')
  project.write('beach.config.ts', "import './tool.ts'")
  expect((await runBeach(['start'], { cwd })).err).toContain('beach.config.ts cannot be loaded: tool.ts:2: no key')
  project.write('beach.config.ts', 'export const config = {}')
  expect((await runBeach(['start'], { cwd })).err).toContain('has no default export')
})
