import { expect, test } from 'vitest'
import { spoken, userTexts } from './script-words.ts'

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
