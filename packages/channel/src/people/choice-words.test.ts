import { describe, expect, test } from 'vitest'
import { chosenNumber } from './choice-words.ts'

describe('a reply chooses from a list of six', () => {
  test.each([
    ['2', 2],
    [' 2. ', 2],
    ['#2', 2],
    ['No. 2', 2],
    ['number two', 2],
    ['the second', 2],
    ['The second one, please!', 2],
    ['2nd', 2],
    ['book the 3rd', 3],
    ['I’ll take the first flight', 1],
    ["I'd like option 4", 4],
    ['one', 1],
    ['the last one', 6],
    ['tell me more about the fifth', 5],
  ])('%s', (text, number) => {
    expect(chosenNumber(text, 6)).toBe(number)
  })
})

describe('a reply chooses nothing', () => {
  test.each([
    ['a number that is not there', '7'],
    ['zero', '0'],
    ['two numbers', 'the second or the third'],
    ['a number of something else', '2 people'],
    ['a number in a question', 'does 2 have a pool?'],
    ['a refusal', 'not the second'],
    ['a flight by its number', 'BA 2043'],
    ['a time', '06:15'],
    ['a date', '2 August'],
    ['a class', 'first class'],
    ['a yes', 'yes'],
    ['a word', 'Corfu'],
    ['nothing', ''],
    ['a long text', `${'please '.repeat(10)}2`],
    ['letters of another alphabet', 'ｔｈｅ ｓｅｃｏｎｄ'],
  ])('%s', (_, text) => {
    expect(chosenNumber(text, 6)).toBeUndefined()
  })

  test('there is no list', () => {
    expect(chosenNumber('2', 0)).toBeUndefined()
  })
})
