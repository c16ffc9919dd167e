import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { validateA2ui } from './validate/validate-a2ui.ts'
import { validateClientMessage } from './validate/validate-client-message.ts'

// The public test data of A2UI, see ../conformance/README.md.

interface CaseFile {
  readonly schema: string
  readonly tests: readonly { readonly description: string; readonly valid: boolean; readonly data: unknown }[]
}

const folder = new URL('../conformance/', import.meta.url)
const read = (path: string) => JSON.parse(readFileSync(new URL(path, folder), 'utf8')) as unknown
const jsonIn = (path: string) => readdirSync(new URL(path, folder)).filter((name) => name.endsWith('.json'))

const problemsOf = (schema: string, data: unknown) =>
  schema === 'client_to_server.json' ? validateClientMessage(data) : validateA2ui(data).problems

const cases = jsonIn('cases/').map((name) => ({ name, ...(read(`cases/${name}`) as CaseFile) }))

test('all 76 cases and 43 examples are there', () => {
  expect(cases.flatMap(({ tests }) => tests)).toHaveLength(76)
  expect(jsonIn('examples/')).toHaveLength(43)
})

describe.each(cases)('$name', ({ schema, tests }) => {
  test.each(tests)('$description', ({ valid, data }) => {
    const problems = problemsOf(schema, data)
    expect(problems.length === 0, JSON.stringify(problems)).toBe(valid)
  })
})

test('the contact form, message by message and as a whole', () => {
  const lines = readFileSync(new URL('cases/contact_form_example.jsonl', folder), 'utf8').trim().split('\n')
  const messages = lines.map((line) => JSON.parse(line) as unknown)
  for (const message of messages) expect(validateA2ui(message).problems).toEqual([])
})

describe('examples', () => {
  test.each(jsonIn('examples/'))('%s', (name) => {
    const { messages } = read(`examples/${name}`) as { messages: readonly unknown[] }
    expect(validateA2ui(messages)).toEqual({ valid: true, problems: [], unknownCatalogs: [] })
    for (const message of messages) expect(validateA2ui(message).valid).toBe(true)
  })
})
