import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { defineEvaluation } from './define-evaluation.ts'
import type { Evaluation } from './evaluation.ts'
import { evaluationJsonSchema } from './json-schema.ts'
import { readEvaluations } from './read-yaml.ts'

function problemsOf(text: string): string {
  try {
    readEvaluations(text, 'a.yaml')
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  throw new Error('Nothing is wrong with it.')
}

describe('a file of evaluations', () => {
  test('has one evaluation in each document, named by the file unless they say', () => {
    expect(readEvaluations('turns: [{ say: Hello }]', 'some/greeting.yaml')).toEqual([
      { name: 'greeting', file: 'some/greeting.yaml', turns: [{ say: 'Hello' }] },
    ])
    const two = readEvaluations('name: one\nturns: [{ say: Hello }]\n---\nturns: [{ advance: 2 days }]\n', 'x.yaml')
    expect(two.map(({ name }) => name)).toEqual(['one', 'x 2'])
  })

  test('names file, line and nearest key of what is wrong', () => {
    const text = `name: wrong
turns:
  - say: Hello
    expect:
      staet: complete
      text: { containz: a }
  - say: Again
    approve: true
  - expect: {}
  - advance: soonish
`
    expect(problemsOf(text).split('\n')).toEqual([
      "a.yaml:5:7: turns.0.expect.staet: 'staet' is not known here. Did you mean 'state'?",
      "a.yaml:6:15: turns.0.expect.text.containz: 'containz' is not known here. Did you mean 'contains'?",
      'a.yaml:7:5: turns.1: does several things: say, approve. Give one of say, send, approve, deny, advance.',
      'a.yaml:9:5: turns.2: does nothing. Give one of say, send, approve, deny, advance.',
      'a.yaml:10:14: turns.3.advance: is no duration, such as 500 ms or 3 days.',
    ])
  })

  test('says where YAML itself is wrong, and what a value should be', () => {
    expect(problemsOf('turns:\n  - say: [Hello\n')).toMatch(/^a\.yaml:3:1: /)
    expect(problemsOf('turns: [{ say: 3 }]')).toMatch(/^a\.yaml:1:16: turns\.0\.say: .*string/)
    expect(problemsOf('turns: [{ say: Hi, expect: { text: 7 } }]')).toMatch(/^a\.yaml:1:36: turns\.0\.expect\.text: /)
    expect(problemsOf('turns: [{ say: Hi, expect: { check: yes } }]')).toContain('only evaluations in TypeScript')
    expect(problemsOf('turns: [{ say: Hi }]\ntools: { pay: {} }')).toContain('needs either a result or an error')
    expect(problemsOf('at: tomorrow\nturns: [{ say: Hi }]')).toContain('a.yaml:1:5: at: is not a time')
    expect(problemsOf('# nothing\n')).toBe('a.yaml: has no evaluation.')
    expect(problemsOf('name: a\nturns: [{ say: Hi }]\n---\nname: a\nturns: [{ say: Hi }]')).toContain("called 'a'")
  })

  test('cannot grow by aliases', () => {
    const lines = ['a: &a [x, x, x, x, x, x, x, x, x, x]']
    for (const [one, other] of ['ab', 'bc', 'cd', 'de', 'ef']) {
      lines.push(`${other}: &${other} [${Array.from({ length: 10 }, () => `*${one}`).join(', ')}]`)
    }
    expect(problemsOf(`tools: { x: { result: *f } }\n${lines.join('\n')}`)).toMatch(/^a\.yaml/)
    expect(problemsOf(`${lines.join('\n')}\nturns: [{ say: Hi }]`)).toMatch(/alias/i)
  })
})

test('an evaluation in code is checked in the same way', () => {
  const evaluation = { turns: [{ say: 'Hello', expect: { check: ({ text }: { text: string }) => text === '' } }] }
  expect(defineEvaluation(evaluation)).toEqual(evaluation)
  const wrong = { turns: [{ say: 'Hello', expects: {} }] } as unknown as Evaluation
  expect(() => defineEvaluation(wrong)).toThrow("turns.0.expects: 'expects' is not known here. Did you mean 'expect'?")
})

test('the published JSON Schema is that of the format', () => {
  const file = new URL('../../../evaluation.schema.json', import.meta.url)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(evaluationJsonSchema())))
})
