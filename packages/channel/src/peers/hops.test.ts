import { BeachError, type SessionView } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { checkHops, hopsTo } from './hops.ts'
import { fromMessageMetadata, toMessageMetadata } from './message-metadata.ts'

function sessionVia(...chains: (readonly string[] | undefined)[]): SessionView {
  const originators = chains.map((via, index) => ({ originatorId: `${index}`, ...(via && { via }) }))
  return { originators } as unknown as SessionView
}

const metadata = (hops: unknown) => toMessageMetadata({ hops: hops as string[] })

test('a message that has come through no agent, or a few, is let in with its chain', () => {
  expect(checkHops(undefined, 'home')).toEqual([])
  expect(checkHops(metadata(['a', 'b', 'c', 'd']), 'home')).toEqual(['a', 'b', 'c', 'd'])
})

test.each([
  ['through this agent', ['a', 'home', 'b']],
  ['through too many', ['a', 'b', 'c', 'd', 'e']],
  ['through very many, this agent the last', [...Array.from({ length: 500 }, (_, n) => `a${n}`), 'home']],
])('a message that has come %s is refused', (_, hops) => {
  expect(() => checkHops(metadata(hops), 'home')).toThrow(BeachError)
  expect(() => checkHops(metadata(hops), 'home')).toThrow(expect.objectContaining({ code: 'TOO_MANY_HOPS' }))
})

test('a chain that is none counts as not said', () => {
  for (const hops of ['home', 7, null, { 0: 'home' }, [null, 7, '']])
    expect(checkHops(metadata(hops), 'home')).toEqual([])
})

test('a call goes out with all whom the session has heard through, and this agent last', () => {
  expect(hopsTo('travel', sessionVia(), 'home')).toEqual(['home'])
  expect(hopsTo('travel', sessionVia(undefined, ['a', 'b'], ['b', 'c']), 'home')).toEqual(['a', 'b', 'c', 'home'])
})

test('a call does not go back to the agent that the request came from, nor to the caller itself, nor too far', () => {
  expect(() => hopsTo('a', sessionVia(['a', 'b']), 'home')).toThrow('go round in a circle')
  expect(() => hopsTo('home', sessionVia(), 'home')).toThrow('go round in a circle')
  expect(() => hopsTo('travel', sessionVia(['a', 'b', 'c', 'd']), 'home')).toThrow('5 agents; 4 are allowed')
  expect(() => hopsTo('travel', sessionVia(['a']), 'home', 1)).toThrow('2 agents; 1 are allowed')
})

test('what a caller says of itself is read back, and what is not as it should be is left out', () => {
  const caller = { hops: ['a'], consumes: ['response'], card: 'https://a.example/card', capability: 'fly' }
  expect(fromMessageMetadata(toMessageMetadata(caller))).toEqual(caller)
  const wrong = toMessageMetadata({ hops: 'a', consumes: {}, card: 5, capability: ['fly'] } as never)
  expect(fromMessageMetadata(wrong)).toEqual({ hops: [] })
})
