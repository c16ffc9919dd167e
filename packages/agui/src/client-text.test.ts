import { expect, test } from 'vitest'
import { ClientText } from './client-text.ts'

test('what was said goes to a client that has nothing, piece by piece', () => {
  const text = new ClientText('text')
  expect([text.append(0, 'Hel'), text.take()]).toEqual(['goes on', 'Hel'])
  expect([text.append(3, 'lo'), text.take()]).toEqual(['goes on', 'lo'])
  expect([text.replaceAll('Hello'), text.shown]).toEqual(['nothing new', 'Hello'])
  expect([text.replaceAll('Hello world'), text.take()]).toEqual(['goes on', ' world'])
})

test('a client that has some of it gets the rest, once it is known to be the same', () => {
  const text = new ClientText('text', 'Hello')
  expect(text.append(0, 'He')).toBe('nothing new')
  expect([text.append(2, 'llo world'), text.take()]).toEqual(['goes on', ' world'])
  expect([text.append(11, '!'), text.take()]).toEqual(['goes on', '!'])
})

test('what a client has otherwise differs, and so does a whole text that is shorter', () => {
  expect(new ClientText('text', 'Hello').append(0, 'Bye')).toBe('differs')
  const text = new ClientText('text', 'Hello')
  expect(text.append(0, 'Hell')).toBe('nothing new')
  expect(text.replaceAll('Hell')).toBe('differs')
})

test('a gap, and what was said before, change nothing', () => {
  const text = new ClientText('text')
  text.append(0, 'Hello world')
  text.take()
  expect(text.append(20, 'late')).toBe('nothing new')
  expect(text.append(6, 'wor')).toBe('nothing new')
  expect(text.replaceAll('Hello world')).toBe('nothing new')
})

test('begun anew, it goes on where the client is', () => {
  const text = new ClientText('text')
  text.append(0, 'Hello')
  text.take()
  text.restart()
  expect(text.append(0, 'Hel')).toBe('nothing new')
  expect([text.append(3, 'lo you'), text.take()]).toEqual(['goes on', ' you'])
})

test('begun anew, what came before is no part of it', () => {
  const text = new ClientText('text')
  text.append(0, 'Hello')
  text.take()
  text.restart()
  expect(text.append(3, 'p')).toBe('nothing new')
  expect(text.append(0, 'Help')).toBe('differs')
})

test('forgotten, all of it is new again', () => {
  const text = new ClientText('text', 'Bye')
  expect(text.append(0, 'Hello')).toBe('differs')
  text.forget()
  expect(text.take()).toBe('Hello')
})

test('a text that a client should not have is gone; a thought can only be emptied', () => {
  const text = new ClientText('text', 'Bye')
  text.forget()
  expect(text.isGone).toBe(true)
  const thought = new ClientText('reasoning', 'Hm')
  thought.forget()
  expect(thought.isGone).toBe(false)
  expect(new ClientText('reasoning').isGone).toBe(true)
})
