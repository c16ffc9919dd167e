import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openData } from '@cool-ai/beach'
import { KeptEvaluations } from '@cool-ai/beach/evaluations'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runBeach, scratchProject } from '../support/beach-command.ts'

const config = `
import { defineConfig } from '@cool-ai/beach'
import { llmActor, scriptedModel } from '@cool-ai/beach-llm'
const say = ({ text, prompt }) => {
  const polite = JSON.stringify(prompt[0].content).includes('polite') ? 'Dear friend, ' : ''
  return { respond: { parts: [{ partType: 'response', text: polite + 'you said: ' + text }], turnState: 'complete' } }
}
const greeter = llmActor({ model: scriptedModel({ rules: [{ say }] }), instructions: 'Greet.' })
export default defineConfig(({ evaluation }) => ({
  agent: { id: 'greeter', name: evaluation === undefined ? 'Greeter' : 'Greeter on trial' },
  actors: { greeter },
  data: '.beach',
}))
`
const project = scratchProject({
  'beach.config.ts': config,
  'polite.md': 'Be polite.',
  'brief.md': 'Be brief.',
  'wrong.yaml': 'turns:\n  - sya: hello\n',
})
const cwd = project.folder
beforeAll(() => {
  mkdirSync(join(cwd, 'evaluations'))
  project.write(
    'evaluations/greets.yaml',
    'name: repeats\ntags: [smoke]\nturns: [{ say: hello, expect: { text: you said, state: complete } }]\n---\n' +
      'name: is polite\nturns: [{ say: hello, expect: { text: Dear friend } }]\n',
  )
})
afterAll(() => project[Symbol.dispose]())

test('beach eval runs the folder evaluations, and its exit code says whether all passed', async () => {
  const { code, out, err } = await runBeach(['eval'], { cwd })
  expect({ code, err }).toEqual({ code: 1, err: '' })
  expect(out).toMatch(/^evaluation +passed +latency +tokens\nrepeats +yes .*\nis polite +NO /)
  expect(out).toContain('1. say: hello – “Dear friend” is not in the text, which is “you said: hello”.')
  expect(out).toContain('Greeter on trial: 1 of 2 passed')
  const smoke = await runBeach(['eval', '--only', 'smoke', '--runs', '3'], { cwd })
  expect(smoke.code).toBe(0)
  expect(smoke.out).toMatch(/repeats +yes 3\/3/)
  expect(existsSync(join(cwd, '.beach')), 'the data of the agent is not touched').toBe(false)
})

test('instructions are compared side by side, as JSON and JUnit too, and kept where the inspector finds them', async () => {
  const compare = ['--compare', 'instructions=brief.md,polite.md', '--json', '--junit', 'results.xml', '--keep']
  const { code, out } = await runBeach(['eval', ...compare], { cwd })
  expect(code).toBe(1)
  const report = JSON.parse(out) as { id: string; cases: { name: string; variant: string; passed: boolean }[] }
  expect(report.cases.map(({ name, variant, passed }) => [name, variant, passed])).toEqual([
    ['repeats', 'brief.md', true],
    ['is polite', 'brief.md', false],
    ['repeats', 'polite.md', true],
    ['is polite', 'polite.md', true],
  ])
  expect(readFileSync(join(cwd, 'results.xml'), 'utf8')).toContain(
    '<testsuites name="evaluations" tests="4" failures="1"',
  )
  const { store } = await openData({ folder: join(cwd, '.beach') })
  const { items } = await new KeptEvaluations(store, 'default').list(undefined, 10)
  await store.close()
  expect(items).toMatchObject([{ id: report.id, variants: ['brief.md', 'polite.md'], passed: false }])
})

test.each([
  [['wrong.yaml'], "wrong.yaml:2:5: turns.0.sya: 'sya' is not known here. Did you mean 'say'?"],
  [['--runs', 'many'], "--runs is a whole number from 1 to 1000, not 'many'."],
  [['--compare', 'colour=red,blue'], "'colour=red,blue' is nothing to compare."],
  [['--compare', 'model=nobody/a,nobody/b'], "'nobody/a' is not a model's id."],
])('what is wrong with the input is said, with the exit code 2: %j', async (args, problem) => {
  const { code, out, err } = await runBeach(['eval', ...args], { cwd })
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(problem)
})
