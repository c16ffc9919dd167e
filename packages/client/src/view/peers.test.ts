import { expect, test } from 'vitest'
import { said } from './parts.test-helper.ts'
import { originName, peerName, peerOf, toolTitle } from './peers.ts'

const names = { 'example-travel-agent': 'ExampleTravel' }

test('whom a part comes from', () => {
  const metadata = (origin: unknown) => ({ metadata: { partType: 'domain-data', origin } })
  expect(peerOf(said('domain-data', metadata({ peer: 'travel' })))).toBe('travel')
  for (const origin of [undefined, 'travel', {}, { peer: '' }, { peer: 7 }]) {
    expect(peerOf(said('domain-data', metadata(origin)))).toBeUndefined()
  }
})

test.each([
  [{ peer: 'example-travel-agent', actor: 'sally' }, 'Sally of ExampleTravel'],
  [{ peer: 'example-travel-agent', actor: 'sally', from: 'Hotels' }, 'Hotels, through ExampleTravel'],
  [{ peer: 'example-travel-agent' }, 'ExampleTravel'],
  [{ peer: 'example-travel-agent', actor: 7 }, 'ExampleTravel'],
  [{ peer: 'sally', actor: 'sally' }, 'sally'],
  [{}, undefined],
])('what %j is from is %s', (origin, name) => {
  expect(originName(said('a2ui-surface', { metadata: { partType: 'a2ui-surface', origin } }), names)).toBe(name)
})

test('other agents by their names, as far as they have any here', () => {
  expect(peerName('example-travel-agent', names)).toBe('ExampleTravel')
  for (const id of ['other', 'constructor', '__proto__']) expect(peerName(id, names)).toBe(id)
})

test.each([
  ['example-travel-agent: book_package', 'ExampleTravel: book_package'],
  ['example-travel-agent: a: b', 'ExampleTravel: a: b'],
  ['other: book_package', 'other: book_package'],
  ['book_package', 'book_package'],
  ['example-travel-agent', 'example-travel-agent'],
])('the tool %s is called %s', (toolName, title) => {
  expect(toolTitle(toolName, names)).toBe(title)
})
