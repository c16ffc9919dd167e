import { expect, test } from 'vitest'
import { Outbox } from './outbox.ts'

test('what was added is sent before an outbox ends', async () => {
  const sent: string[] = []
  const outbox = new Outbox<string>({
    send: async (items) => void sent.push(...items),
    maxAtOnce: 2,
    maxWaiting: Infinity,
  })
  for (const item of ['a', 'b', 'c']) outbox.add(item)
  await outbox.end()
  expect(sent).toEqual(['a', 'b', 'c'])
})

test('an outbox ends though nothing can be sent any more', async () => {
  let tries = 0
  const send = async () => {
    tries++
    throw new Error('The database is gone.')
  }
  const outbox = new Outbox<string>({ send, maxAtOnce: 1, maxWaiting: Infinity })
  for (const item of ['a', 'b']) outbox.add(item)
  await outbox.end()
  expect(tries).toBe(2)
})
