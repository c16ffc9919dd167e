import { expect, test } from 'vitest'
import { clientTools, type GivenTool } from './client-tools.ts'

const own = new Set(['pay'])
const reasons = (...given: readonly GivenTool[]) => clientTools(given, own).refused.map(({ reason }) => reason)

test('tools are taken as they are, with what clients leave out', () => {
  const parameters = { type: 'object', properties: { colour: { type: 'string' } } }
  const { tools, refused } = clientTools(
    [
      {
        name: 'paint',
        description: ' Paints. ',
        parameters: { $schema: 'http://json-schema.org/draft-07/schema#', ...parameters },
      },
      { name: 'dance', description: '' },
      { name: 'sing', parameters: { properties: {} } },
    ],
    own,
  )
  expect(refused).toEqual([])
  expect(tools).toEqual([
    { name: 'paint', description: 'Paints.', parameters },
    { name: 'dance', description: 'dance', parameters: { type: 'object', properties: {} } },
    { name: 'sing', description: 'sing', parameters: { type: 'object', properties: {} } },
  ])
})

test.each<[string, GivenTool, RegExp]>([
  ['the name of a tool of the agent', { name: 'pay' }, /name of a tool of the agent/],
  ['the name of respond()', { name: 'respond' }, /name of a tool of the agent/],
  ['a name that models do not accept', { name: 'a b' }, /models do not accept/],
  ['a long description', { name: 'a', description: 'x'.repeat(4_001) }, /4000 characters/],
  ['parameters of a list', { name: 'a', parameters: { type: 'array' } }, /JSON Schema of an object/],
  ['parameters that are none', { name: 'a', parameters: 'x' }, /JSON Schema of an object/],
  ['large parameters', { name: 'a', parameters: { description: 'x'.repeat(16_001) } }, /16000 characters/],
  ['parameters that refer elsewhere', { name: 'a', parameters: { $ref: 'http://169.254.169.254/' } }, /cannot be used/],
  ['a pattern that is none', { name: 'a', parameters: { properties: { a: { pattern: '(' } } } }, /cannot be used/],
  ['a type that is none', { name: 'a', parameters: { properties: { a: { type: 'text' } } } }, /Their 'type'/],
  ['properties that are a list', { name: 'a', parameters: { properties: [] } }, /Their 'properties'/],
  ['required that is no list', { name: 'a', parameters: { anyOf: [{ required: 'a' }] } }, /Their 'required'/],
])('a tool with %s is refused', (_, tool, reason) => {
  expect(reasons(tool)).toEqual([expect.stringMatching(reason)])
})

test('a name twice, too many, and too much of all are refused', () => {
  expect(reasons({ name: 'a' }, { name: 'a' })).toEqual([expect.stringMatching(/twice/)])
  const many = Array.from({ length: 66 }, (_, n) => ({ name: `t${n}` }))
  expect(reasons(...many)).toEqual([expect.stringMatching(/64/), expect.stringMatching(/64/)])
  const large = Array.from({ length: 8 }, (_, n) => ({ name: `t${n}`, parameters: { title: 'x'.repeat(15_000) } }))
  expect(reasons(...large)).toEqual([expect.stringMatching(/100000/), expect.stringMatching(/100000/)])
})

test('names of members that every object has are names like others', () => {
  const parameters = { type: 'object', properties: { toString: { type: ['string', 'null'] }, type: { enum: [1] } } }
  const given = [{ name: 'constructor', parameters }, { name: 'hasOwnProperty' }]
  const { tools, refused } = clientTools(given, own)
  expect(refused).toEqual([])
  expect(tools.map(({ name }) => name)).toEqual(['constructor', 'hasOwnProperty'])
  expect(tools[0]?.parameters).toEqual(parameters)
})

test('of more tools than a client may offer the rest is not looked at', () => {
  let looked = 0
  const looking = (n: number) => ({
    name: `t${n}`,
    get parameters() {
      looked++
      return { type: 'object', properties: { a: { pattern: '(' } } }
    },
  })
  expect(reasons(...Array.from({ length: 10_000 }, (_, n) => looking(n)))).toHaveLength(10_000)
  expect(looked).toBe(64)
})
