import { expect, test } from 'vitest'
import { isForeign, smallTalkIn } from './small-talk.ts'

test.each([
  ['thanks!', 'thanks'],
  ['Thank you so much', 'thanks'],
  ['Hello', 'hello'],
  ['good morning', 'hello'],
  ['bye', 'bye'],
  ['that’s all', 'bye'],
  ['What can you do?', 'help'],
  ['help', 'help'],
  ['How does this work?', 'help'],
  ['how do I book?', 'help'],
  ['who are you?', 'who'],
  ['Are you a robot?', 'who'],
  ['I want to talk to a human', 'human'],
  ['can you put me through to a real person?', 'human'],
  ['how are you', 'how-are-you'],
  ['yes please', 'yes'],
  ['ok', 'yes'],
  ['no', 'no'],
  ['great!', 'praise'],
  ['that is perfect', 'praise'],
  ['you are useless', 'rude'],
  ['flights to Corfu', undefined],
  ['What is in my basket?', undefined],
  ['', undefined],
])('%s is %s', (text, talk) => {
  expect(smallTalkIn(text)).toBe(talk)
})

test.each([
  'Hola, quiero vuelos a Corfú',
  'Bonjour',
  'Ich möchte nach Rom fliegen',
  'Привет, сколько стоит билет?',
  '你好',
  'ciao',
])('%s is not English', (text) => {
  expect(isForeign(text)).toBe(true)
})

test.each(['hello', 'flights to Reykjavík', 'asdf', '123', '👍', 'hallo, find me flights to Rome please'])(
  '%s may be English',
  (text) => {
    expect(isForeign(text)).toBe(false)
  },
)
