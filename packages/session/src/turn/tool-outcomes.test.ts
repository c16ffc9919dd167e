import { BeachError, isBeachError, type ToolOutcome, type Work } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { defineActor, type ActorContext } from './function-actor.ts'
import { alice, eventsOf, eventually, said, testContext } from '../host/test-context.test-helper.ts'

const timeout = () => new BeachError('TIMEOUT', 'The tool pay took longer than 5 ms.')
const failures: Record<string, { error: unknown; effects: 'failed' | 'unknown'; idempotent: 'failed' | 'unknown' }> = {
  'a timeout of ours': { error: timeout(), effects: 'unknown', idempotent: 'failed' },
  'a timeout of the platform': {
    error: new DOMException('The operation timed out.', 'TimeoutError'),
    effects: 'unknown',
    idempotent: 'failed',
  },
  'a connection that broke': {
    error: new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) }),
    effects: 'unknown',
    idempotent: 'failed',
  },
  'a connection that was refused': {
    error: new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) }),
    effects: 'failed',
    idempotent: 'failed',
  },
  'a call that was not heard of again': {
    error: new BeachError('UNREACHABLE', 'It went away.', { details: { outcome: 'unknown' } }),
    effects: 'unknown',
    idempotent: 'unknown',
  },
  'a refusal': { error: new BeachError('FORBIDDEN', 'No.'), effects: 'failed', idempotent: 'failed' },
  'a mistake': { error: new Error('Oh.'), effects: 'failed', idempotent: 'failed' },
}

test.each(Object.entries(failures))(
  '%s tells the actor whether its tool may have taken effect',
  async (_, expected) => {
    const { error, effects, idempotent } = expected
    const outcomes: ToolOutcome<never>[] = []
    const payer = async ({ tool, respond }: ActorContext) => {
      const fail = () => Promise.reject(error)
      outcomes.push(await tool({ name: 'pay', args: {} }, fail))
      outcomes.push(await tool({ name: 'look', args: {}, idempotent: true }, fail))
      await respond({ parts: [{ partType: 'response', text: 'Done.' }], turnState: 'complete' })
    }
    const there = testContext()
    const { sessions } = there.process({ payer })
    const session = await sessions.open({ principal: alice })
    await sessions.post(session, said('pay'), alice)
    await eventually(() => outcomes.length === 2)
    expect(outcomes.map(({ outcome }) => outcome)).toEqual([effects, idempotent])
    for (const outcome of outcomes) {
      const reason = outcome.outcome === 'ok' ? '' : outcome.reason
      expect(reason.includes('Whether it took effect is not known')).toBe(outcome.outcome === 'unknown')
      // What Beach says is for actors to read; the words of others may tell too much.
      expect(reason.startsWith('The tool ')).toBe(!isBeachError(error) || isBeachError(error, 'TIMEOUT'))
      if (isBeachError(error)) expect(reason).toContain(error.message)
    }
    const ended = (await eventsOf(there, session)).flatMap((event) =>
      event.type === 'toolFinished' ? event.outcome : [],
    )
    expect(ended).toEqual([effects, idempotent])
  },
)

test.each([
  [false, 'unknown'],
  [true, 'failed'],
])('work in parallel to a turn that takes too long (idempotent: %s) is %s', async (idempotent, expected) => {
  const run = () => Promise.reject(timeout())
  const find: Work = { run, idempotent }
  const outcomes: string[] = []
  const researcher = defineActor(
    async ({ manifest, respond }) => {
      const { results } = await (await manifest({ name: 'trip', slots: { one: { work: 'find' } } })).settled()
      outcomes.push(...results.map(({ outcome }) => outcome))
      await respond({ parts: [{ partType: 'response', text: 'Done.' }], turnState: 'complete' })
    },
    { works: { find } },
  )
  const { sessions } = testContext().process({ researcher })
  const session = await sessions.open({ principal: alice })
  await sessions.post(session, said('go'), alice)
  await eventually(() => outcomes.length === 1)
  expect(outcomes).toEqual([expected])
})
