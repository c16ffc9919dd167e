import { describe, expect, test } from 'vitest'
import { handWork } from '../manifests/works.test-helper.ts'
import { defineActor, type ActorContext } from '../turn/function-actor.ts'
import { alice, eventsOf, eventually, said, testContext, type TestContext } from './test-context.test-helper.ts'

const graceMs = 20_000

/** An actor that runs tools one after the other; each runs until the test ends it. */
function working(names: readonly string[]) {
  const runs: { readonly name: string; readonly finish: () => void; readonly signal: AbortSignal }[] = []
  const outcomes: string[] = []
  const actor = async ({ tool, respond }: ActorContext) => {
    const ended: string[] = []
    for (const name of names) {
      const { outcome } = await tool({ name, args: {} }, ({ signal }) => {
        return new Promise<string>((finish) => runs.push({ name, signal, finish: () => finish('done') }))
      })
      ended.push(outcome)
    }
    outcomes.push(ended.join(' '))
    await respond({ parts: [{ partType: 'response', text: ended.join(' ') }], turnState: 'complete' })
  }
  const started = async (count: number) => {
    await eventually(() => runs.length >= count)
    return runs[count - 1]
  }
  return { actor, runs, started, outcomes }
}

const typesOf = async (there: TestContext, session: string) => (await eventsOf(there, session)).map(({ type }) => type)

async function begun(there: TestContext, { actor }: { actor: (turn: ActorContext) => Promise<void> }) {
  const { sessions } = there.process({ actor })
  const session = await sessions.open({ principal: alice })
  await sessions.post(session, said('go'), alice)
  return { sessions, session }
}

/** True once the promise has resolved. */
function watched(promise: Promise<unknown>): () => boolean {
  let isOver = false
  void promise.then(() => (isOver = true))
  return () => isOver
}

describe('a host that drains', () => {
  test('begins no turn that waits for room', async () => {
    const there = testContext()
    const find = handWork()
    const long = Promise.withResolvers<void>()
    const actor = defineActor(
      async ({ text, manifest, respond }) => {
        if (text === 'long') await long.promise
        if (text === 'go') await manifest({ name: 'x', slots: { a: { work: 'find', args: 'a' } } })
        await respond({ parts: [{ partType: 'response', text: 'done' }], turnState: 'complete' })
      },
      { works: { find: find.work } },
    )
    const { sessions } = there.process({ actor }, { limits: { concurrentTurns: 1 } })
    const [held, other] = [await sessions.open({ principal: alice }), await sessions.open({ principal: alice })]
    await sessions.post(held, said('go'), alice)
    const work = await find.started('a')
    await eventually(async () => (await typesOf(there, held)).includes('turnSettled'))
    await sessions.post(other, said('long'), alice)
    await eventually(async () => (await typesOf(there, other)).includes('turnStarted'))
    await sessions.post(held, said('and then?'), alice)
    await eventually(async () => (await sessions.view(held, alice)).waiting === 1)
    const drained = sessions.drain(graceMs)
    work.finish(1)
    long.resolve()
    await drained
    expect((await typesOf(there, held)).filter((type) => type === 'turnStarted')).toHaveLength(1)
    expect(await typesOf(there, other)).toContain('turnSettled')
  })

  test('lets a tool and its turn end, and begins no turn for a message that comes meanwhile', async () => {
    const there = testContext()
    const work = working(['charge'])
    const { sessions, session } = await begun(there, work)
    const run = await work.started(1)
    const drained = sessions.drain(graceMs)
    const isOver = watched(drained)
    await sessions.post(session, said('and then?'), alice)
    await there.runtime.clock.advance(graceMs / 4)
    expect([isOver(), run?.signal.aborted]).toEqual([false, false])
    run?.finish()
    await drained
    expect(work.outcomes).toEqual(['ok'])
    expect((await typesOf(there, session)).filter((type) => type.startsWith('turnS'))).toEqual([
      'turnStarted',
      'turnStateChanged',
      'turnSettled',
    ])
    // Another process answers what has come meanwhile.
    there.process({ actor: work.actor })
    ;(await work.started(2))?.finish()
    await eventually(() => work.outcomes.length === 2)
    await sessions.stop()
  })

  test('hands a turn over between two tools when half of its grace has passed', async () => {
    const there = testContext()
    const work = working(['charge', 'ship'])
    const { sessions, session } = await begun(there, work)
    const run = await work.started(1)
    const drained = sessions.drain(graceMs)
    await there.runtime.clock.advance(graceMs / 2)
    run?.finish()
    await drained
    expect(work.runs.map(({ name }) => name)).toEqual(['charge'])
    expect((await typesOf(there, session)).at(-1)).toBe('toolFinished')
    await sessions.stop()
    there.process({ actor: work.actor })
    ;(await work.started(2))?.finish()
    await eventually(() => work.outcomes.length === 1)
    expect(work.runs.map(({ name }) => name)).toEqual(['charge', 'ship'])
    expect(work.outcomes).toEqual(['ok ok'])
  })

  test('hands a turn over after the step that is said when half of its grace has passed', async () => {
    const there = testContext()
    const speak = Promise.withResolvers<void>()
    const passed: string[] = []
    const actor = async ({ respond }: ActorContext) => {
      await speak.promise
      await respond({ parts: [{ partType: 'response', text: 'first' }], turnState: 'awaiting' })
      passed.push('first')
      await respond({ parts: [{ partType: 'response', text: 'second' }], turnState: 'complete' })
    }
    const { sessions, session } = await begun(there, { actor })
    const drained = sessions.drain(graceMs)
    await there.runtime.clock.advance(graceMs / 2)
    speak.resolve()
    await drained
    expect([passed, (await typesOf(there, session)).at(-1)]).toEqual([[], 'turnStateChanged'])
    await sessions.stop()
    there.process({ actor })
    await eventually(async () => (await typesOf(there, session)).includes('turnSettled'))
    const steps = (await typesOf(there, session)).filter((type) => type === 'stepCommitted')
    expect([passed, steps.length]).toEqual([['first'], 2])
  })

  test('waits for all tools that run in parallel before it hands their turn over', async () => {
    const there = testContext()
    const finish: (() => void)[] = []
    const actor = async ({ tool }: ActorContext) => {
      const run = () => new Promise<void>((resolve) => finish.push(resolve))
      const after = async (name: string) => {
        await tool({ name, args: {} }, run)
        await tool({ name: `${name} again`, args: {} }, run)
      }
      await Promise.all([after('one'), after('two')])
    }
    const { sessions, session } = await begun(there, { actor })
    await eventually(() => finish.length === 2)
    const drained = sessions.drain(graceMs)
    const isOver = watched(drained)
    await there.runtime.clock.advance(graceMs / 2)
    finish[0]?.()
    await eventually(async () => (await typesOf(there, session)).includes('toolFinished'))
    expect(isOver()).toBe(false)
    finish[1]?.()
    await drained
    const tools = (await typesOf(there, session)).filter((type) => type.startsWith('tool'))
    expect(tools).toEqual(['toolStarted', 'toolStarted', 'toolFinished', 'toolFinished'])
    await sessions.stop()
  })

  test('cuts off what outlasts the grace: the next host is told that its outcome is not known', async () => {
    const there = testContext()
    const work = working(['charge'])
    const { sessions } = await begun(there, work)
    const run = await work.started(1)
    const drained = sessions.drain(graceMs)
    await there.runtime.clock.advance(graceMs)
    await drained
    expect(run?.signal.aborted).toBe(false)
    await sessions.stop()
    expect(run?.signal.aborted).toBe(true)
    there.process({ actor: work.actor })
    await eventually(() => work.outcomes.length === 1)
    expect(work.outcomes).toEqual(['unknown'])
    expect(work.runs).toHaveLength(1)
  })

  test('ends its grace when it is told to hurry', async () => {
    const there = testContext()
    const work = working(['charge'])
    const { sessions } = await begun(there, work)
    await work.started(1)
    const hurry = new AbortController()
    const drained = sessions.drain(graceMs, hurry.signal)
    hurry.abort()
    await drained
    await sessions.stop()
  })

  test('gives a session back at once that only waits', async () => {
    const there = testContext()
    const actor = async ({ tool }: ActorContext) => {
      await tool({ name: 'pay', args: {}, requiresApproval: true }, async () => 'paid')
    }
    const { sessions, session } = await begun(there, { actor })
    await eventually(async () => (await typesOf(there, session)).includes('approvalRequested'))
    await sessions.drain(graceMs)
    await sessions.stop()
  })
})
