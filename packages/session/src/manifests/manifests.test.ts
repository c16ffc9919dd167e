import { BeachError, isBeachError, type Actor, type Frame, type ManifestPlan, type Work } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import type { TailItem } from '@cool-ai/beach-core/ports'
import { SurfaceTemplateRegistry } from '@cool-ai/beach-protocol'
import { describe, expect, test } from 'vitest'
import { defineActor, type ActorContext } from '../turn/function-actor.ts'
import type { SessionTurnManagerOptions } from '../host/session-turn-manager.ts'
import {
  alice,
  eventsOf,
  eventually,
  follow,
  said,
  viewer,
  testContext,
  type TestContext,
} from '../host/test-context.test-helper.ts'
import { handWork } from './works.test-helper.ts'

const over = { partType: 'thinking', text: 'Over to the scout.' } as const
const answer = (text: string) => ({ parts: [{ partType: 'response', text }], turnState: 'complete' })

/** Slots of these names, each filled by the work `find` with its own name as the argument. */
function slotsOf(...names: string[]): ManifestPlan['slots'] {
  return Object.fromEntries(names.map((name) => [name, { work: 'find', args: name }]))
}

/** Opens a manifest, waits until it has settled, and says what came of it. */
function researcher(plan: ManifestPlan, find: Work): Actor {
  const run = async ({ respond, manifest }: ActorContext) => {
    const { results, missing, finalizedBy } = await (await manifest(plan)).settled()
    const found = results.map(({ slot, outcome, part, reason }) => {
      return `${slot} ${outcome}: ${outcome === 'ok' ? JSON.stringify(part?.data) : reason}`
    })
    await respond(answer([finalizedBy, ...found, ...missing.map((slot) => `${slot} missing`)].join('; ')))
  }
  return defineActor(run, { works: { find } })
}

async function begun(there: TestContext, actors: Record<string, Actor>, options?: Partial<SessionTurnManagerOptions>) {
  const process = there.process(actors, options)
  const session = await process.sessions.open({ principal: alice })
  const seen = follow(process.sessions, session)
  await process.sessions.post(session, said('go'), alice)
  return { ...process, session, seen }
}

type PartFrame = Extract<Frame, { kind: 'part' }>

function partsOf(frames: readonly Frame[], partType: string): PartFrame[] {
  return frames.filter(
    (frame): frame is PartFrame => frame.kind === 'part' && frame.part.metadata.partType === partType,
  )
}

function answers(frames: readonly Frame[]): (string | undefined)[] {
  return partsOf(frames, 'response').map(({ part }) => part.text)
}

function isAnswer(text: string): (frame: Frame) => boolean {
  return (frame) => frame.kind === 'part' && frame.role === 'agent' && frame.part.text === text
}

async function typesOf(there: TestContext, session: string): Promise<string[]> {
  return (await eventsOf(there, session)).map((event) => event.type)
}

describe('a manifest', () => {
  const plan: ManifestPlan = {
    name: 'trip',
    slots: {
      hotels: { work: 'find', args: 'hotels', slotKey: 'offers', mergeStrategy: 'append', kind: 'hotels' },
      flights: { work: 'find', args: 'flights' },
    },
  }

  test('shows each result at once, with its place in the data, while the others still run', async () => {
    const there = testContext()
    const find = handWork()
    const { sessions, session, seen } = await begun(there, { agent: researcher(plan, find.work) })
    const hotels = await find.started('hotels')
    await find.started('flights')
    hotels.finish(['Hotel Corfu'])
    await seen.until((frame) => frame.kind === 'part' && frame.part.metadata.partType === 'domain-data')
    const { turn, manifests } = await sessions.view(session, alice)
    expect(partsOf(seen.frames, 'domain-data')).toMatchObject([
      {
        role: 'agent',
        turnId: turn?.turnId,
        part: {
          data: ['Hotel Corfu'],
          metadata: { partType: 'domain-data', slotKey: 'offers', mergeStrategy: 'append', kind: 'hotels' },
        },
      },
    ])
    expect(manifests).toMatchObject([
      {
        slots: [
          { slot: 'hotels', state: 'ok' },
          { slot: 'flights', state: 'running' },
        ],
      },
    ])
    expect(answers(seen.frames)).toEqual([])
    ;(await find.started('flights')).finish({ ba: 2043 })
    await seen.settled()
    expect(partsOf(seen.frames, 'domain-data').at(-1)?.part).toEqual({
      data: { ba: 2043 },
      metadata: { partType: 'domain-data', slotKey: 'flights', mergeStrategy: 'replace' },
    })
    expect(answers(seen.frames)).toEqual(['complete; hotels ok: ["Hotel Corfu"]; flights ok: {"ba":2043}'])
    expect((await sessions.view(session, alice)).manifests).toEqual([])
  })

  test('is in the envelope of its turn, merged by its slot keys', async () => {
    const find: Work = { run: (args) => [args] }
    const slots = {
      one: { work: 'find', args: 'A', slotKey: 'list', mergeStrategy: 'append' as const },
      two: { work: 'find', args: 'B', slotKey: 'list', mergeStrategy: 'append' as const },
      three: { work: 'find', args: 'C' },
    }
    const { sessions, session, seen } = await begun(testContext(), { agent: researcher({ name: 'all', slots }, find) })
    await seen.settled()
    const turnId = partsOf(seen.frames, 'response')[0]?.turnId ?? ''
    const envelope = await sessions.envelope(session, turnId, viewer())
    expect(envelope?.parts.map(({ metadata, data }) => [metadata.partType, data])).toEqual([
      ['domain-data', ['A', 'B']],
      ['domain-data', ['C']],
      ['response', undefined],
    ])
  })

  test('gives its results in the order in which they came, and ends with the last', async () => {
    const find = handWork()
    const received: string[] = []
    const agent = defineActor(
      async ({ respond, manifest }) => {
        const opened = await manifest({ name: 'all', slots: slotsOf('a', 'b', 'c') })
        for await (const { slot } of opened.results()) received.push(slot)
        await respond(answer('done'))
      },
      { works: { find: find.work } },
    )
    const { seen } = await begun(testContext(), { agent })
    for (const [index, slot] of ['c', 'a', 'b'].entries()) {
      ;(await find.started(slot)).finish(slot)
      await eventually(() => received.length > index)
    }
    await seen.settled()
    expect(received).toEqual(['c', 'a', 'b'])
  })

  test('can be waited for in parallel to another one', async () => {
    const find = handWork()
    const agent = defineActor(
      async ({ respond, manifest }) => {
        const one = await manifest({ name: 'one', slots: slotsOf('a', 'b') })
        const two = await manifest({ name: 'two', slots: slotsOf('c', 'd') })
        const both = await Promise.all([one.settled(), two.settled()])
        await respond(answer(both.map(({ results }) => results.map(({ slot }) => slot).join('')).join(' ')))
      },
      { works: { find: find.work } },
    )
    const { seen } = await begun(testContext(), { agent })
    for (const slot of ['d', 'a', 'c', 'b']) {
      ;(await find.started(slot)).finish()
      await seen.until((frame) => frame.kind === 'part' && frame.partId.endsWith(`.${slot}`))
    }
    await seen.settled()
    expect(answers(seen.frames)).toEqual(['ab dc'])
  })

  test('settles at its deadline without what is missing, aborts that, and drops it when it comes late', async () => {
    const there = testContext()
    const find = handWork()
    const slots = slotsOf('quick', 'slow', 'slower')
    const agent = researcher({ name: 'all', slots, deadlineMs: 5_000 }, find.work)
    const { session, seen } = await begun(there, { agent })
    ;(await find.started('quick')).finish(1)
    const late = await Promise.all([find.started('slow'), find.started('slower')])
    await there.runtime.clock.advance(4_999)
    expect(late.map(({ signal }) => signal.aborted)).toEqual([false, false])
    expect(answers(seen.frames)).toEqual([])
    await there.runtime.clock.advance(1)
    await seen.settled()
    expect(answers(seen.frames)).toEqual(['deadline; quick ok: 1; slow missing; slower missing'])
    expect(late.map(({ signal }) => signal.aborted)).toEqual([true, true])
    for (const { finish } of late) finish('late')
    await there.runtime.clock.advance(60_000)
    const events = await eventsOf(there, session)
    expect(events.flatMap((event) => (event.type === 'slotFilled' ? [event.slot] : []))).toEqual(['quick'])
    expect(events.filter((event) => event.type === 'turnStarted')).toHaveLength(1)
  })

  test('says of work that throws only that it failed, or what the work’s own refusal says', async () => {
    const there = testContext()
    const find: Work = {
      run: (args) => {
        throw args === 'a' ? new Error('password hunter2') : new BeachError('BAD_REQUEST', 'No such town.')
      },
    }
    const { session, seen } = await begun(there, { agent: researcher({ name: 'x', slots: slotsOf('a', 'b') }, find) })
    await seen.settled()
    expect(answers(seen.frames)).toEqual(['complete; a failed: The work failed.; b failed: No such town.'])
    expect(partsOf(seen.frames, 'domain-data')).toEqual([])
    expect(JSON.stringify(await eventsOf(there, session))).not.toContain('hunter2')
  })

  test.each<[string, () => unknown, string]>([
    ['a number that JSON does not know', () => ({ amount: 10n }), 'The work failed.'],
    ['an object that contains itself', circular, 'The work failed.'],
    ['more than a commit can hold', () => 'x'.repeat(600_000), 'bytes'],
    ['more than a part may be', () => 'x'.repeat(300_000), 'bytes'],
  ])('whose work brings %s has a failed slot, and goes on', async (_, run, reason) => {
    const there = testContext()
    const { seen } = await begun(there, { agent: researcher({ name: 'x', slots: slotsOf('a') }, { run }) })
    await there.runtime.clock.advance(60_000)
    await seen.settled()
    expect(answers(seen.frames)[0]).toMatch(/^complete; a failed: /)
    expect(answers(seen.frames)[0]).toContain(reason)
  })

  test.each([undefined, null])('takes %s for a result that says nothing', async (value) => {
    const { seen } = await begun(testContext(), {
      agent: researcher({ name: 'x', slots: slotsOf('a') }, { run: () => value }),
    })
    await seen.settled()
    expect(answers(seen.frames)).toEqual(['complete; a ok: null'])
  })

  test('lets its work say something meanwhile, to followers', async () => {
    const there = testContext()
    const find = handWork({ idempotent: true })
    const agent = researcher({ name: 'x', slots: slotsOf('a') }, find.work)
    const first = await begun(there, { agent })
    const progress = (text: string) => [{ partType: 'progress', text, data: { label: text } }]
    const problems: unknown[] = []
    const { emit } = await find.started('a')
    await emit(progress('half'))
    await emit([{ partType: 'no.such-type', text: 'x' }]).catch((error: unknown) => problems.push(error))
    await first.seen.until(isAnswer('half'))
    expect(problems).toSatisfy(([error]: unknown[]) => isBeachError(error, 'INVALID_PART'))
    first.crash()
    await there.runtime.clock.advance(10_000)
    const { sessions } = there.process({ agent })
    const again = await find.started('a', 2)
    await again.emit(progress('half again'))
    again.finish('found')
    const seen = follow(sessions, first.session)
    await seen.settled()
    // The second time it stands where it stood the first time.
    const progressed = partsOf(seen.frames, 'progress')
    expect(progressed.map(({ part }) => part.text)).toEqual(['half', 'half again'])
    expect(new Set(progressed.map(({ partId }) => partId)).size).toBe(1)
    expect(answers(seen.frames)).toEqual(['complete; a ok: "found"'])
  })

  test('brings the surfaces that templates make of its results', async () => {
    const templates = new SurfaceTemplateRegistry()
    templates.register('hotels', (data) => [
      { version: 'v0.9', createSurface: { surfaceId: 'hotels', catalogId: 'c' } },
      { version: 'v0.9', updateDataModel: { surfaceId: 'hotels', path: '/', value: data } },
    ])
    const agent = researcher(plan, { run: (args) => [args] })
    const { seen } = await begun(testContext(), { agent }, { templates })
    await seen.settled()
    expect(partsOf(seen.frames, 'a2ui-surface').map(({ part }) => part.data)).toMatchObject([
      [{}, { updateDataModel: { value: ['hotels'] } }],
    ])
  })
})

function circular(): unknown {
  const loop: Record<string, unknown> = {}
  loop.self = loop
  return loop
}

describe('in a view', () => {
  test('open manifests and everything in flight are listed, oldest first', async () => {
    const there = testContext()
    const { clock } = there.runtime
    const find = handWork()
    const tool = handWork()
    const agent = defineActor(
      async ({ manifest, tools }) => {
        await manifest({ name: 'trip', slots: slotsOf('a', 'b'), deadlineMs: 60_000 })
        await clock.advance(1)
        const pay = { name: 'pay', args: {}, requiresApproval: true, approvalExpiresAt: clock.now() + 5_000 }
        await tools([
          { call: pay, run: async () => 'paid' },
          { call: { name: 'look', args: {} }, run: async (run) => tool.work.run('look', run as never) },
        ])
      },
      { works: { find: find.work } },
    )
    const openedAt = clock.now()
    const { sessions, session, seen } = await begun(there, { agent })
    const look = await tool.started('look')
    await find.started('b')
    ;(await find.started('a')).finish()
    await seen.until((frame) => frame.kind === 'part' && frame.part.metadata.partType === 'domain-data')
    const { turn, manifests, inFlight } = await sessions.view(session, alice)
    const turnId = turn?.turnId
    expect(manifests).toEqual([
      {
        manifestId: `${turnId}.m0-0`,
        name: 'trip',
        turnId,
        openedAt,
        deadline: openedAt + 60_000,
        slots: [
          { slot: 'a', state: 'ok' },
          { slot: 'b', state: 'running' },
        ],
      },
    ])
    expect(inFlight).toEqual([
      {
        kind: 'slot',
        id: `${turnId}.m0-0.b`,
        name: 'find',
        turnId,
        since: openedAt,
        until: openedAt + 60_000,
      },
      { kind: 'tool', id: `${turnId}.tool0-1`, name: 'look', turnId, since: openedAt + 1 },
    ])
    look.finish()
    await seen.until((frame) => frame.kind === 'turn' && frame.turnState === 'suspended')
    const [, approval] = (await sessions.view(session, alice)).inFlight
    expect(approval).toMatchObject({ kind: 'approval', name: 'agent', turnId, until: openedAt + 5_001 })
    await sessions.cancel(session, undefined, alice)
    await seen.settled()
    expect((await sessions.view(session, alice)).inFlight).toEqual([])
  })
})

describe('after a crash', () => {
  test.each([
    [true, 2, 'complete; a ok: "found"'],
    [false, 1, 'complete; a unknown: The process ended while this ran; whether it took effect is not known.'],
  ])('work that was running, idempotent %s, has been run %i times: %s', async (idempotent, times, text) => {
    const there = testContext()
    const find = handWork({ idempotent })
    const agent = researcher({ name: 'x', slots: slotsOf('a') }, find.work)
    const first = await begun(there, { agent })
    await find.started('a')
    first.crash()
    await there.runtime.clock.advance(10_000)
    const { sessions } = there.process({ agent })
    const seen = follow(sessions, first.session)
    if (idempotent) (await find.started('a', 2)).finish('found')
    await seen.settled()
    expect(answers(seen.frames)).toEqual([text])
    expect(find.runs).toHaveLength(times)
    expect(new Set(find.runs.map(({ key }) => key)).size).toBe(1)
  })

  test('slots that are filled are not run again, and the actor comes to the same answer', async () => {
    const there = testContext()
    const find = handWork()
    const received: string[][] = []
    const agent = defineActor(
      async ({ respond, manifest }) => {
        const order: string[] = []
        received.push(order)
        const opened = await manifest({ name: 'x', slots: slotsOf('a', 'b', 'c') })
        for await (const { slot, part } of opened.results()) {
          order.push(slot)
          await respond({ parts: [{ partType: 'ack', text: `${slot}=${String(part?.data)}` }], turnState: 'awaiting' })
        }
        await respond(answer(order.join(' ')))
      },
      { works: { find: find.work } },
    )
    const first = await begun(there, { agent })
    await find.started('a')
    ;(await find.started('b')).finish(2)
    await first.seen.until(isAnswer('b=2'))
    // It has not begun yet when the process dies: it is simply begun later.
    ;(await find.started('a')).finish(1)
    await first.seen.until(isAnswer('a=1'))
    first.crash()
    await there.runtime.clock.advance(10_000)
    const { sessions } = there.process({ agent })
    const seen = follow(sessions, first.session)
    await seen.settled()
    expect(received).toEqual([
      ['b', 'a'],
      ['b', 'a', 'c'],
    ])
    expect(partsOf(seen.frames, 'ack').map(({ part }) => part.text)).toEqual(['b=2', 'a=1', 'c=undefined'])
    expect(answers(seen.frames)).toEqual(['b a c'])
    expect(find.runs.map(({ args }) => args)).toEqual(['a', 'b', 'c'])
  })

  test('the deadline is where it was, also when it passes while no process is there', async () => {
    const there = testContext()
    const find = handWork({ idempotent: true })
    const agent = researcher({ name: 'x', slots: slotsOf('a'), deadlineMs: 60_000 }, find.work)
    const first = await begun(there, { agent })
    await find.started('a')
    first.crash()
    await there.runtime.clock.advance(59_999)
    const { sessions, crash } = there.process({ agent })
    const seen = follow(sessions, first.session)
    const { signal } = await find.started('a', 2)
    expect(signal.aborted).toBe(false)
    crash()
    await there.runtime.clock.advance(100_000)
    const last = follow(there.process({ agent }).sessions, first.session)
    await there.runtime.clock.advance(0)
    await last.settled()
    expect(answers(last.frames)).toEqual(['deadline; a missing'])
    seen.leave()
  })

  test('an actor that opens another manifest in its place is told that it does not repeat itself', async () => {
    const there = testContext()
    const find = handWork()
    const first = await begun(there, { agent: researcher({ name: 'x', slots: slotsOf('a') }, find.work) })
    await find.started('a')
    first.crash()
    await there.runtime.clock.advance(10_000)
    const { sessions } = there.process({ agent: researcher({ name: 'x', slots: slotsOf('b') }, find.work) })
    const seen = follow(sessions, first.session)
    await seen.settled()
    expect(partsOf(seen.frames, 'error')[0]?.part.metadata).toMatchObject({ code: 'REPLAY_MISMATCH' })
    expect(find.runs.map(({ args }) => args)).toEqual(['a'])
    expect((await sessions.view(first.session, alice)).manifests).toEqual([])
  })

  test('work that the actor no longer has is a failed slot', async () => {
    const there = testContext()
    const find = handWork({ idempotent: true })
    const plan: ManifestPlan = { name: 'x', slots: slotsOf('a') }
    const first = await begun(there, { agent: researcher(plan, find.work) })
    await find.started('a')
    first.crash()
    await there.runtime.clock.advance(10_000)
    const { works: _, ...without } = researcher(plan, find.work)
    const { sessions } = there.process({ agent: without })
    const seen = follow(sessions, first.session)
    await seen.settled()
    expect(answers(seen.frames)).toEqual(['complete; a failed: The work failed.'])
  })
})

describe('a manifest whose turn is over', () => {
  /** Begins work and does not wait for it; says what it is begun with. */
  function starter(find: Work, begunWith: ActorContext[], slots: ManifestPlan['slots'] = slotsOf('a')): Actor {
    return defineActor(
      async (turn) => {
        begunWith.push(turn)
        if (turn.began.length > 0) {
          const news = turn.began.map((injection) => (injection.kind === 'slot' ? injection.slot : 'end'))
          return turn.respond(answer([turn.text, ...news].filter((text) => text !== '').join(' ')))
        }
        if (turn.text === 'go') await turn.manifest({ name: 'later', slots })
        return turn.respond(answer(`heard ${turn.text}`))
      },
      { works: { find } },
    )
  }

  test('begins a new turn by itself, with the result in its data', async () => {
    const there = testContext()
    const find = handWork()
    const begunWith: ActorContext[] = []
    const { sessions, session, seen } = await begun(there, { agent: starter(find.work, begunWith) })
    await seen.settled()
    expect((await sessions.view(session, alice)).manifests).toHaveLength(1)
    ;(await find.started('a')).finish({ found: 1 })
    await seen.until(isAnswer('a end'))
    await seen.until((frame) => frame.kind === 'settled' && frame.turnId === begunWith[1]?.turnId)
    const [first, second] = begunWith
    expect(second?.messages).toEqual([])
    const manifestId = `${first?.turnId}.m0-0`
    expect(second?.began).toEqual([
      {
        kind: 'slot',
        manifestId,
        name: 'later',
        slot: 'a',
        outcome: 'ok',
        part: { data: { found: 1 }, metadata: { partType: 'domain-data', slotKey: 'a', mergeStrategy: 'replace' } },
      },
      { kind: 'settled', manifestId, name: 'later', missing: [], finalizedBy: 'complete' },
    ])
    const envelope = (turnId = '') => sessions.envelope(session, turnId, viewer())
    expect((await envelope(second?.turnId))?.parts.map(({ data, text }) => data ?? text)).toEqual([
      { found: 1 },
      'a end',
    ])
    expect((await envelope(first?.turnId))?.parts.map(({ data, text }) => data ?? text)).toEqual(['heard go'])
    const events = await eventsOf(there, session)
    expect(events.find((event) => event.type === 'slotFilled')).toMatchObject({ originators: [viewer().id] })
  })

  test('brings its result to the actor that has asked for it, and not to the one that begins turns', async () => {
    const there = testContext()
    const find = handWork()
    const desk = defineActor(async ({ respond }) => {
      await respond({ parts: [over], turnState: 'passed', passTo: 'scout' })
    })
    const scout = defineActor(
      async ({ respond, manifest, began }) => {
        if (began.length === 0) await manifest({ name: 'search', slots: slotsOf('rome') })
        await respond(answer(began.length === 0 ? 'begun' : 'found'))
      },
      { works: { find: find.work } },
    )
    const { seen } = await begun(there, { desk, scout }, { entry: 'desk' })
    await seen.until(isAnswer('begun'))
    const run = await find.started('rome')
    run.finish(1)
    await seen.until(isAnswer('found'))
    const starts = seen.frames.flatMap((frame) => (frame.kind === 'turn' ? (frame.actor ?? []) : []))
    expect(starts).toEqual(['desk', 'scout'])
  })

  test('brings its result to the actor that begins turns when a message has come with it', async () => {
    const there = testContext()
    const [find, gate] = [handWork(), handWork()]
    const desk = defineActor(async ({ respond, text, tool, began }) => {
      if (text === 'go') return respond({ parts: [over], turnState: 'passed', passTo: 'scout' })
      if (text === 'hello') await tool({ name: 'wait', args: {} }, async (run) => gate.work.run('gate', run as never))
      return respond(answer(`desk: ${text}, ${began.length} results`))
    })
    const scout = defineActor(
      async ({ respond, manifest, began }) => {
        if (began.length === 0) await manifest({ name: 'search', slots: slotsOf('rome') })
        await respond(answer(began.length === 0 ? 'begun' : 'scout: found'))
      },
      { works: { find: find.work } },
    )
    const { sessions, session, seen } = await begun(there, { desk, scout }, { entry: 'desk' })
    await seen.settled()
    await sessions.post(session, said('hello'), alice)
    const waiting = await gate.started('gate')
    ;(await find.started('rome')).finish(1)
    await eventually(async () => (await typesOf(there, session)).includes('manifestSettled'))
    await sessions.post(session, said('also'), alice)
    waiting.finish()
    await eventually(() => answers(seen.frames).length === 3)
    expect(answers(seen.frames)).toEqual(['begun', 'desk: hello, 0 results', 'desk: also, 2 results'])
  })

  test('shows its result once in the surfaces of the turn that it begins', async () => {
    const find = handWork()
    const templates = new SurfaceTemplateRegistry()
    templates.register('list', (data) => [
      { version: 'v0.9', createSurface: { surfaceId: 'list', catalogId: 'c' } },
      { version: 'v0.9', updateDataModel: { surfaceId: 'list', path: '/', value: data } },
    ])
    const slots = { a: { work: 'find', args: 'a', mergeStrategy: 'append' as const, kind: 'list' } }
    const { seen } = await begun(testContext(), { agent: starter(find.work, [], slots) }, { templates })
    await seen.settled()
    ;(await find.started('a')).finish(['one'])
    await seen.until(isAnswer('a end'))
    await eventually(() => partsOf(seen.frames, 'a2ui-surface').length > 0)
    expect(partsOf(seen.frames, 'a2ui-surface').map(({ part }) => part.data)).toMatchObject([
      [{}, { updateDataModel: { value: ['one'] } }],
    ])
  })

  test.each(['dies', 'stops'])('goes on in the next process, which begins the turn, when the first %s', async (end) => {
    const there = testContext()
    const find = handWork({ idempotent: true })
    const begunWith: ActorContext[] = []
    const actors = { agent: starter(find.work, begunWith) }
    const first = await begun(there, actors)
    await first.seen.settled()
    await find.started('a')
    if (end === 'dies') first.crash()
    else await first.sessions.stop()
    // The lease of a process that died runs out; one that stopped has given it back.
    if (end === 'dies') await there.runtime.clock.advance(10_000)
    const seen = follow(there.process(actors).sessions, first.session)
    ;(await find.started('a', 2)).finish()
    await seen.until(isAnswer('a end'))
    expect(begunWith).toHaveLength(2)
  })

  test('does not keep a message waiting that comes meanwhile', async () => {
    const there = testContext()
    const find = handWork()
    const { sessions, session, seen } = await begun(there, { agent: starter(find.work, []) })
    await find.started('a')
    await seen.settled()
    await sessions.post(session, said('hello'), alice)
    await seen.until(isAnswer('heard hello'))
    expect((await sessions.view(session, alice)).manifests).toHaveLength(1)
  })

  test('lets its result wait in the mailbox while another turn runs', async () => {
    const there = testContext()
    const find = handWork()
    const gate = handWork()
    const received: string[] = []
    const agent = defineActor(
      async ({ text, began, respond, manifest, tool }) => {
        if (text === 'go') await manifest({ name: 'later', slots: slotsOf('a', 'b') })
        if (text === 'hello') await tool({ name: 'wait', args: {} }, async (run) => gate.work.run('gate', run as never))
        received.push(
          [text, ...began.map((injection) => (injection.kind === 'slot' ? injection.slot : 'end'))].join(' '),
        )
        await respond(answer(`heard ${received.at(-1)}`))
      },
      { works: { find: find.work } },
    )
    const { sessions, session, seen } = await begun(there, { agent })
    await seen.settled()
    await sessions.post(session, said('hello'), alice)
    const waiting = await gate.started('gate')
    for (const slot of ['a', 'b']) (await find.started(slot)).finish(slot)
    await eventually(async () => (await typesOf(there, session)).includes('manifestSettled'))
    expect(await sessions.view(session, alice)).toMatchObject({ waiting: 3, turn: { turnState: 'awaiting' } })
    await sessions.post(session, said('also'), alice)
    waiting.finish()
    await seen.until(isAnswer('heard also a b end'))
    expect(received).toEqual(['go', 'hello', 'also a b end'])
    const turns = partsOf(seen.frames, 'response').map(({ turnId = '' }) => turnId)
    const data = async (turnId = '') =>
      (await sessions.envelope(session, turnId, viewer()))?.parts.flatMap((part) => part.data ?? [])
    await seen.until((frame) => frame.kind === 'settled' && frame.turnId === turns[2])
    expect(await data(turns[1])).toEqual([])
    expect(await data(turns[2])).toEqual(['a', 'b'])
  })

  test('can be cancelled by the id of that turn, and begins nothing then', async () => {
    const there = testContext()
    const find = handWork()
    const { sessions, session, seen } = await begun(there, { agent: starter(find.work, [], slotsOf('a', 'b')) })
    await seen.settled()
    const { turnId } = partsOf(seen.frames, 'response')[0] ?? {}
    const runs = await Promise.all([find.started('a'), find.started('b')])
    expect(await sessions.cancel(session, 'turn_other', alice)).toBe(false)
    expect(await sessions.cancel(session, turnId, alice)).toBe(true)
    await eventually(() => runs.every(({ signal }) => signal.aborted))
    expect(await sessions.cancel(session, turnId, alice)).toBe(false)
    for (const { finish } of runs) finish('late')
    await there.runtime.clock.advance(60_000)
    const events = await eventsOf(there, session)
    expect(events.at(-1)).toMatchObject({ type: 'manifestSettled', finalizedBy: 'cancelled', missing: ['a', 'b'] })
    expect(events.filter((event) => event.type === 'turnStarted')).toHaveLength(1)
    expect((await sessions.view(session, alice)).inFlight).toEqual([])
  })
})

test('a result that comes after a cancel of which its host has not heard yet is dropped', async () => {
  const there = testContext()
  let receive = () => {}
  const received = new Promise<void>((resolve) => (receive = resolve))
  const tail = there.store.tail.bind(there.store)
  there.store.tail = async function* (...args) {
    for await (const items of tail(...args)) {
      const settles = (item: TailItem) => 'seq' in item && (item.data as SessionEvent).type === 'manifestSettled'
      if (items.some(settles)) await received
      yield items
    }
  }
  const find = handWork()
  const agent = defineActor(
    async ({ respond, manifest }) => {
      await manifest({ name: 'x', slots: slotsOf('a') })
      await respond(answer('later'))
    },
    { works: { find: find.work } },
  )
  const { session, seen } = await begun(there, { agent })
  await seen.settled()
  const run = await find.started('a')
  const { sessions: elsewhere } = there.process({ idle: async () => {} })
  expect(await elsewhere.cancel(session, partsOf(seen.frames, 'response')[0]?.turnId, alice)).toBe(true)
  expect(run.signal.aborted).toBe(false)
  run.finish('late')
  await there.runtime.clock.advance(1_000)
  receive()
  await there.runtime.clock.advance(60_000)
  expect((await eventsOf(there, session)).at(-1)).toMatchObject({ type: 'manifestSettled', finalizedBy: 'cancelled' })
})

describe('the end of a turn', () => {
  test('by a cancel ends its manifests, and what they have brought stays', async () => {
    const there = testContext()
    const find = handWork()
    const agent = researcher({ name: 'x', slots: slotsOf('a', 'b') }, find.work)
    const { sessions, session, seen } = await begun(there, { agent })
    ;(await find.started('a')).finish(1)
    await seen.until((frame) => frame.kind === 'part' && frame.part.metadata.partType === 'domain-data')
    const { signal, finish } = await find.started('b')
    await sessions.cancel(session, undefined, alice)
    await seen.settled()
    await eventually(() => signal.aborted)
    finish('late')
    await there.runtime.clock.advance(60_000)
    const events = await eventsOf(there, session)
    expect(events.find((event) => event.type === 'manifestSettled')).toMatchObject({
      finalizedBy: 'cancelled',
      missing: ['b'],
    })
    expect(events.at(-1)).toMatchObject({ type: 'turnSettled', finalizedBy: 'cancelled' })
    expect((await sessions.view(session, alice)).inFlight).toEqual([])
  })

  test('by an actor that fails ends its manifests too', async () => {
    const there = testContext()
    const find = handWork()
    const agent = defineActor(
      async ({ manifest }) => {
        await manifest({ name: 'x', slots: slotsOf('a') })
        await find.started('a')
        throw new Error('broken')
      },
      { works: { find: find.work } },
    )
    const { sessions, session, seen } = await begun(there, { agent })
    await seen.settled()
    const { signal } = await find.started('a')
    await eventually(() => signal.aborted)
    expect((await sessions.view(session, alice)).manifests).toEqual([])
  })
})

describe('a plan that cannot be', () => {
  const many = (count: number) => slotsOf(...Array.from({ length: count }, (_, index) => `s${index}`))

  test.each<[string, ManifestPlan, string]>([
    ['work that the actor does not have', { name: 'x', slots: { a: { work: 'fly' } } }, "'fly'.*It has: find"],
    ['a method of every object as work', { name: 'x', slots: { a: { work: 'toString' } } }, "'toString'"],
    ['no slots', { name: 'x', slots: {} }, '0 slots; 1 to 100'],
    ['too many slots', { name: 'x', slots: many(101) }, '101 slots; 1 to 100'],
    ['a slot without a name', { name: 'x', slots: slotsOf('') }, 'name is empty'],
    ['a slot with an endless name', { name: 'x', slots: slotsOf('n'.repeat(101)) }, 'too long'],
    ['a slot whose name cannot be printed', { name: 'x', slots: slotsOf('a\n') }, 'not printable'],
    ['a deadline that is no time', { name: 'x', slots: slotsOf('a'), deadlineMs: Number.NaN }, 'deadline'],
    ['a deadline without end', { name: 'x', slots: slotsOf('a'), deadlineMs: Infinity }, 'deadline'],
  ])('because of %s is refused in words, and the actor goes on', async (_, plan, words) => {
    const there = testContext()
    const problems: unknown[] = []
    const agent = defineActor(
      async ({ respond, manifest }) => {
        await manifest(plan).catch((error: unknown) => problems.push(error))
        await respond(answer('without'))
      },
      { works: { find: { run: () => 1 } } },
    )
    const { session, seen } = await begun(there, { agent })
    await seen.settled()
    expect(answers(seen.frames)).toEqual(['without'])
    expect(problems).toHaveLength(1)
    expect(problems).toSatisfy(([error]: unknown[]) => isBeachError(error, 'INVALID_STATE'))
    expect(String(problems[0])).toMatch(new RegExp(words))
    expect(await typesOf(there, session)).not.toContain('manifestOpened')
  })

  test('is none with as many slots as there may be', async () => {
    const find: Work = { run: () => 1 }
    const { seen } = await begun(testContext(), { agent: researcher({ name: 'x', slots: many(100) }, find) })
    await seen.settled()
    expect(answers(seen.frames)).toEqual([expect.stringMatching(/^complete; .*s99 ok: 1$/)])
  })

  test('because too many are open already is refused, and possible again later', async () => {
    const there = testContext()
    const find = handWork()
    const problems: unknown[] = []
    const agent = defineActor(
      async ({ respond, manifest }) => {
        for (let index = 0; index < 20; index++) await manifest({ name: 'x', slots: slotsOf(`s${index}`) })
        await manifest({ name: 'x', slots: slotsOf('more') }).catch((error: unknown) => problems.push(error))
        ;(await find.started('s0')).finish()
        await eventually(async () => (await sessions.view(session, alice)).manifests.length < 20)
        await manifest({ name: 'x', slots: slotsOf('later') })
        await respond(answer('done'))
      },
      { works: { find: find.work } },
    )
    const { sessions } = there.process({ agent })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('go'), alice)
    await seen.settled()
    expect(problems).toHaveLength(1)
    expect(problems).toSatisfy(([error]: unknown[]) => isBeachError(error, 'TOO_MANY'))
    await find.started('later')
    expect(find.runs.map(({ args }) => args)).not.toContain('more')
  })

  test('because results have begun nothing but more work, ten turns in a row, is refused until a message comes', async () => {
    const there = testContext()
    const problems: string[] = []
    let turns = 0
    const agent = defineActor(
      async ({ text, respond, manifest }) => {
        turns++
        const opened = manifest({ name: 'again', slots: slotsOf('a') })
        const problem = await opened.then(
          () => undefined,
          (error: unknown) => String(error),
        )
        if (problem !== undefined) problems.push(problem)
        await respond(answer(`${text}${problem === undefined ? '' : ' enough'}`))
      },
      { works: { find: { run: () => 1 } } },
    )
    const { sessions, session, seen } = await begun(there, { agent })
    await seen.until(isAnswer(' enough'))
    expect(turns).toBe(11)
    expect(problems).toEqual([expect.stringContaining('The last 10 turns') as string])
    await sessions.post(session, said('more'), alice)
    await eventually(() => problems.length === 2)
    expect(turns).toBe(22)
  })
})

test('a message ends a row of turns that only results began, also when it comes together with one', async () => {
  const there = testContext()
  const find = handWork()
  const gate = handWork()
  const opened: string[] = []
  const agent = defineActor(
    async ({ text, began, respond, manifest, tool }) => {
      if (text === 'wait') await tool({ name: 'w', args: {} }, async (run) => gate.work.run('w', run as never))
      else {
        const plan = { name: 'again', slots: slotsOf(`${opened.length}`) }
        const outcome = await manifest(plan).then(
          () => 'opened',
          () => 'refused',
        )
        opened.push(`${text}${began.length > 0 ? ' result' : ''} ${outcome}`)
      }
      await respond(answer('done'))
    },
    { works: { find: find.work } },
  )
  const { sessions, session } = await begun(there, { agent })
  for (let turn = 0; turn < 9; turn++) (await find.started(`${turn}`)).finish()
  await find.started('9')
  await sessions.post(session, said('wait'), alice)
  const waiting = await gate.started('w')
  ;(await find.started('9')).finish()
  await eventually(async () => (await sessions.view(session, alice)).waiting === 2)
  await sessions.post(session, said('hello'), alice)
  waiting.finish()
  await eventually(() => opened.length === 11)
  expect(opened.at(-1)).toBe('hello result opened')
})

describe('other actors that open a manifest, and hosts that take over an open one', () => {
  test('a tool opens one, whose results come to the turn', async () => {
    const there = testContext()
    const find = handWork()
    let runs = 0
    const agent = defineActor(
      async ({ respond, tool }) => {
        const call = { name: 'plan', args: {}, idempotent: true }
        const outcome = await tool(call, async ({ manifest }) => {
          runs++
          const id = await manifest({ name: 'x', slots: slotsOf('a') })
          if (runs === 1) await new Promise(() => {})
          return id
        })
        await respond(answer(outcome.outcome))
      },
      { works: { find: find.work } },
    )
    const first = await begun(there, { agent })
    ;(await find.started('a')).finish('found')
    await first.seen.until((frame) => frame.kind === 'part' && frame.part.data === 'found')
    first.crash()
    await there.runtime.clock.advance(10_000)
    const { sessions } = there.process({ agent })
    const seen = follow(sessions, first.session)
    await seen.settled()
    const { turnId = '' } = partsOf(seen.frames, 'response')[0] ?? {}
    expect(
      (await sessions.envelope(first.session, turnId, viewer()))?.parts.map(({ data, text }) => data ?? text),
    ).toEqual(['found', 'ok'])
    expect((await typesOf(there, first.session)).filter((type) => type === 'manifestOpened')).toHaveLength(1)
  })

  test('a tool that plans what cannot be is a tool that failed, with the reason', async () => {
    const agent = defineActor(async ({ respond, tool }) => {
      const outcome = await tool({ name: 'plan', args: {} }, ({ manifest }) =>
        manifest({ name: 'x', slots: { a: { work: 'fly' } } }),
      )
      await respond(answer(outcome.outcome === 'ok' ? 'ok' : outcome.reason))
    })
    const { seen } = await begun(testContext(), { agent })
    await seen.settled()
    expect(answers(seen.frames)[0]).toContain("names the work 'fly', which this actor does not have. It has: none.")
  })

  test('an actor that the turn is passed to finds the results in the turn’s data, and has manifests of its own', async () => {
    const there = testContext()
    const find = handWork()
    const desk = defineActor(
      async ({ respond, manifest }) => {
        await manifest({ name: 'first', slots: slotsOf('a') })
        await respond({ parts: [{ partType: 'thinking', text: 'Yours.' }], turnState: 'passed', passTo: 'expert' })
      },
      { works: { find: find.work } },
    )
    const own = handWork()
    const expert = researcher({ name: 'second', slots: slotsOf('b') }, own.work)
    const { sessions, session, seen } = await begun(there, { desk, expert }, { entry: 'desk' })
    const mine = await own.started('b')
    ;(await find.started('a')).finish(1)
    await seen.until((frame) => frame.kind === 'part' && frame.part.data === 1)
    mine.finish(2)
    await seen.settled()
    expect(answers(seen.frames)).toEqual(['complete; b ok: 2'])
    const { turnId = '' } = partsOf(seen.frames, 'response')[0] ?? {}
    expect((await sessions.envelope(session, turnId, viewer()))?.parts.map(({ data, text }) => data ?? text)).toEqual([
      1,
      2,
      'complete; b ok: 2',
    ])
  })
})

describe('work in parallel to a turn that waits', () => {
  test('does not keep an approval from expiring in time', async () => {
    const there = testContext()
    const find = handWork()
    const approvalExpiresAt = there.runtime.clock.now() + 5_000
    const agent = defineActor(
      async ({ respond, manifest, tool }) => {
        await manifest({ name: 'x', slots: slotsOf('a') })
        const { outcome } = await tool(
          { name: 'pay', args: {}, requiresApproval: true, approvalExpiresAt },
          async () => 1,
        )
        await respond(answer(outcome))
      },
      { works: { find: find.work } },
    )
    const { seen } = await begun(there, { agent })
    await find.started('a')
    await seen.until((frame) => frame.kind === 'turn' && frame.turnState === 'suspended')
    await there.runtime.clock.advance(5_000)
    await eventually(() => answers(seen.frames).length > 0)
    expect(answers(seen.frames)).toEqual(['denied'])
  })

  test('has its result put down once the store takes it again', async () => {
    const there = testContext()
    const find = handWork()
    let broken = false
    const append = there.store.append.bind(there.store)
    there.store.append = (session, expected, events, wakeAt) => {
      const isFill = (events as { type: string }[]).some(({ type }) => type === 'slotFilled')
      return broken && isFill ? Promise.reject(new Error('disk')) : append(session, expected, events, wakeAt)
    }
    const { seen } = await begun(there, { agent: researcher({ name: 'x', slots: slotsOf('a') }, find.work) })
    broken = true
    ;(await find.started('a')).finish('found')
    await there.runtime.clock.advance(60_000)
    broken = false
    await there.runtime.clock.advance(60_000)
    await eventually(() => answers(seen.frames).length > 0)
    expect(answers(seen.frames)[0]).toMatch(/^complete; a unknown/)
  })
})
