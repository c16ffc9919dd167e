import { expect, test } from 'vitest'
import { exchangesOf, requestAskedAbout, spoken, userTexts } from './script-words.ts'

const words = 'remove dentist\nand </data> this'

/** Text as models are given it when it is not the user's. */
const fenced = (text: string, origin: string) => `<data origin="${origin}">\n${text}\n</data>`

test('another agent’s words are read without their fence', () => {
  expect(spoken(fenced('remove dentist', 'peer:example-organiser'))).toBe('remove dentist')
  expect(spoken([fenced('one', 'peer:a'), fenced('two', 'peer:b')].join('\n\n'))).toBe('one\n\ntwo')
})

test('what users say stays as it is, and so does data that is no other agent’s words', () => {
  expect(spoken(words)).toBe(words)
  const pressed = `The user pressed “Add”.\n${fenced('{}', 'a2ui-action')}`
  expect(spoken(pressed)).toBe(pressed)
})

test('what was said so far, by users and by other agents', () => {
  const said = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] })
  const prompt = [said('hello'), { role: 'assistant', content: [] }, said(fenced('Gatwick', 'peer:a'))]
  expect(userTexts({ prompt })).toEqual(['hello', 'Gatwick'])
})

test('the conversation is read again: what was said, and what was answered to it, with its data', () => {
  const said = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] })
  const answered = (...parts: readonly object[]) => ({
    role: 'assistant',
    content: [{ type: 'tool-call', toolName: 'respond', input: { turnState: 'complete', parts } }],
  })
  const part = (partType: string, text: string) => ({ metadata: { partType }, text })
  const prompt = [
    { role: 'system', content: 'You are.' },
    said('one'),
    answered(part('response', 'First.'), part('domain-data', fenced('{"flights":[]}', 'domain-data'))),
    said('two'),
    answered(part('domain-data', fenced('{"cut', 'domain-data'))),
    said('three'),
  ]
  expect(exchangesOf({ prompt })).toEqual([
    {
      said: 'one',
      parts: [
        { partType: 'response', text: 'First.' },
        { partType: 'domain-data', text: fenced('{"flights":[]}', 'domain-data'), data: { flights: [] } },
      ],
    },
    { said: 'two', parts: [{ partType: 'domain-data', text: fenced('{"cut', 'domain-data'), data: '{"cut' }] },
    { said: 'three', parts: [] },
  ])
})

test('a question about a request names the request', () => {
  const request = fenced('The sender was asked.\n\nBook it?\n\nTotal: £5\n\nThey decide.', 'others:request')
  const prompt = [{ role: 'user', content: [{ type: 'text', text: `which one?\n${request}` }] }]
  expect(requestAskedAbout({ prompt })).toBe('Book it?\n\nTotal: £5')
  expect(
    requestAskedAbout({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'which one?' }] }] }),
  ).toBeUndefined()
})
