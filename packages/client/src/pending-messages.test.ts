import type { PostResult } from '@cool-ai/beach-core/ports'
import { describe, expect, test } from 'vitest'
import { AgentError, cancelled, unreachable } from './reliability/agent-error.ts'
import { PendingMessages } from './pending-messages.ts'
import { backoffOf } from './reliability/pauses.ts'
import { testPlatform } from './reliability/test-context.test-helper.ts'

const lost = unreachable('Lost.')
const refused = new AgentError('INVALID_PART', 'No.', { status: 422 })

/** An outbox whose every try is given to the test. */
function context() {
  const platform = testPlatform()
  const { clock } = platform
  const tries: { key: string; signal: AbortSignal; take: (seq: number) => void; fail: (error: Error) => void }[] = []
  let changes = 0
  const outbox = new PendingMessages({
    pauses: backoffOf(platform),
    onChange: () => changes++,
    post: ({ key }, signal) =>
      new Promise<PostResult>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        const take = (seq: number) => resolve({ seq, messageId: `msg_${seq}`, duplicate: false })
        tries.push({ key, signal, take, fail: reject })
      }),
  })
  const last = () => {
    const found = tries.at(-1)
    if (found === undefined) throw new Error('Nothing was tried.')
    return found
  }
  const send = (key: string, silent = false) => outbox.add({ key, parts: [{ text: key }], silent })
  const states = () => outbox.pending.map(({ key, state }) => `${key} ${state}`)
  return { clock, outbox, tries, last, send, states, changes: () => changes }
}

describe('a message', () => {
  test('is pending until it has come back', async () => {
    const { clock, outbox, last, send, states } = context()
    const sent = send('a')
    expect(outbox.pending).toMatchObject([{ key: 'a', parts: [{ text: 'a' }], state: 'sending' }])
    last().take(7)
    expect(await sent).toEqual({ seq: 7, messageId: 'msg_7', duplicate: false })
    await clock.advance(0)
    const [retry, discard] = [expect.any(Function), expect.any(Function)]
    expect(outbox.pending).toEqual([{ key: 'a', parts: [{ text: 'a' }], state: 'sent', retry, discard }])
    outbox.arrived('6')
    expect(states()).toEqual(['a sent'])
    outbox.arrived('7')
    expect(states()).toEqual([])
  })

  test('that comes back before its answer is pending no longer', async () => {
    const { clock, outbox, last, send, states } = context()
    void send('a')
    outbox.arrived('7', 'a')
    expect(states()).toEqual([])
    last().take(7)
    await clock.advance(0)
    expect(states()).toEqual([])
  })

  test('that is never shown is pending until the conversation has passed it', async () => {
    const { clock, outbox, last, send, states } = context()
    void send('a')
    outbox.arrived('9')
    last().take(7)
    await clock.advance(0)
    expect(states()).toEqual([])
  })

  test('is tried under the same key until the agent has it, with growing pauses', async () => {
    const { clock, outbox, tries, last, send, states } = context()
    const sent = send('a')
    for (const pause of [500, 1_000, 2_000]) {
      last().fail(lost)
      await clock.advance(0)
      expect(outbox.pending).toMatchObject([{ state: 'waiting', error: lost, retryAt: clock.now() + pause }])
      const count = tries.length
      await clock.advance(pause - 1)
      expect(tries).toHaveLength(count)
      await clock.advance(1)
      expect(states()).toEqual(['a sending'])
    }
    last().take(3)
    expect((await sent).seq).toBe(3)
    expect(tries.map(({ key }) => key)).toEqual(['a', 'a', 'a', 'a'])
  })

  test('that is refused fails with the agent’s error and stays, until it is sent again or discarded', async () => {
    const { clock, outbox, tries, last, send, states } = context()
    const sent = send('a')
    last().fail(refused)
    await expect(sent).rejects.toBe(refused)
    expect(outbox.pending).toMatchObject([{ state: 'failed', error: refused }])
    const again = outbox.pending[0]?.retry()
    expect(tries).toHaveLength(2)
    last().fail(refused)
    await expect(again).rejects.toBe(refused)
    outbox.pending[0]?.discard()
    await clock.advance(60_000)
    expect(states()).toEqual([])
    expect(tries).toHaveLength(2)
  })

  test('that waits can be tried at once', async () => {
    const { clock, outbox, tries, last, send } = context()
    const sent = send('a')
    last().fail(lost)
    await clock.advance(0)
    const again = outbox.pending[0]?.retry()
    await clock.advance(0)
    expect(tries).toHaveLength(2)
    last().take(1)
    expect(await again).toBe(await sent)
  })

  test('that is discarded while it waits lets the next one go at once', async () => {
    const { clock, outbox, tries, last, send } = context()
    void send('a')
    void send('b')
    last().fail(lost)
    await clock.advance(0)
    outbox.pending[0]?.discard()
    await clock.advance(0)
    expect(tries.map(({ key }) => key)).toEqual(['a', 'b'])
  })

  test('that is discarded is tried no more', async () => {
    const { clock, outbox, tries, last, send, states } = context()
    const sent = send('a')
    outbox.pending[0]?.discard()
    expect(last().signal.aborted).toBe(true)
    await expect(sent).rejects.toMatchObject({ code: 'CANCELLED' })
    await clock.advance(60_000)
    expect(tries).toHaveLength(1)
    expect(states()).toEqual([])
  })
})

describe('several messages', () => {
  test('arrive in the order in which they were sent, whatever happens to one of them', async () => {
    const { clock, tries, last, send, states } = context()
    for (const key of ['a', 'b', 'c']) void send(key)
    expect(states()).toEqual(['a sending', 'b waiting', 'c waiting'])
    last().fail(lost)
    await clock.advance(500)
    last().take(1)
    await clock.advance(0)
    last().fail(refused)
    await clock.advance(0)
    last().take(2)
    await clock.advance(0)
    expect(tries.map(({ key }) => key)).toEqual(['a', 'a', 'b', 'c'])
    expect(states()).toEqual(['a sent', 'b failed', 'c sent'])
  })

  test('can be discarded while they wait', async () => {
    const { clock, outbox, tries, last, send } = context()
    for (const key of ['a', 'b', 'c']) void send(key)
    outbox.pending[1]?.discard()
    last().take(1)
    await clock.advance(0)
    last().take(2)
    await clock.advance(0)
    expect(tries.map(({ key }) => key)).toEqual(['a', 'c'])
  })

  test('keep their objects when something happens to another', async () => {
    const { clock, outbox, last, send } = context()
    for (const key of ['a', 'b']) void send(key)
    const before = outbox.pending
    last().take(1)
    await clock.advance(0)
    expect(outbox.pending).not.toBe(before)
    expect(before[0]?.state).toBe('sending')
    const [, b] = outbox.pending
    outbox.arrived('1')
    expect(outbox.pending).toHaveLength(1)
    expect(outbox.pending[0]).toBe(b)
  })
})

describe('a silent message', () => {
  test('is not shown, and is one message for as long as it is under way', async () => {
    const { clock, tries, last, send, states } = context()
    const first = send('a', true)
    const second = send('a', true)
    expect(states()).toEqual([])
    last().take(4)
    expect(await first).toBe(await second)
    expect(tries).toHaveLength(1)
    await clock.advance(0)
    void send('a', true)
    expect(tries).toHaveLength(2)
  })

  test('that is refused says so only to its sender', async () => {
    const { last, send, states } = context()
    const sent = send('a', true)
    last().fail(refused)
    await expect(sent).rejects.toBe(refused)
    expect(states()).toEqual([])
  })
})

test('when the conversation is over, what has come back but was never answered is tried no more', async () => {
  const { clock, outbox, tries, last, send } = context()
  const sent = send('a')
  outbox.arrived('7', 'a')
  last().fail(lost)
  await clock.advance(0)
  const end = cancelled('Over.')
  outbox.close(end)
  await expect(sent).rejects.toBe(end)
  await clock.advance(60_000)
  expect(tries).toHaveLength(1)
  expect(clock.next()).toBeUndefined()
})

test('when the conversation is over, what was refused keeps its error', async () => {
  const { outbox, last, send } = context()
  const sent = send('a')
  last().fail(refused)
  await expect(sent).rejects.toBe(refused)
  outbox.close(cancelled('Over.'))
  expect(outbox.pending).toMatchObject([{ state: 'failed', error: refused }])
})

test('when the conversation is over, what has not reached the agent fails and nothing more is taken', async () => {
  const { clock, outbox, tries, last, send, states } = context()
  const end = cancelled('Over.')
  const all = ['a', 'b', 'c'].map((key) => send(key))
  last().take(1)
  await clock.advance(0)
  outbox.close(end)
  expect(await Promise.allSettled(all)).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: end },
    { status: 'rejected', reason: end },
  ])
  await expect(send('d')).rejects.toBe(end)
  await expect(send('e', true)).rejects.toBe(end)
  expect(states()).toEqual(['a sent', 'b failed', 'c failed', 'd failed'])
  await expect(outbox.pending[1]?.retry()).rejects.toBe(end)
  await clock.advance(60_000)
  expect(tries).toHaveLength(2)
})
