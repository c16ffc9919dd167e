import {
  isBeachError,
  partTypes,
  turnStates,
  type Frame,
  type Inbound,
  type Part,
  type Principal,
  type Work,
} from '@cool-ai/beach-core'
import { approvalAction, SurfaceTemplateRegistry, type ApprovalRequest } from '@cool-ai/beach-protocol'
import { describe, expect, test } from 'vitest'
import { defineActor, type ActorContext } from '../turn/function-actor.ts'
import { SessionTurnManager, type SessionTurnManagerOptions } from '../host/session-turn-manager.ts'
import {
  alice,
  bob,
  eventsOf,
  eventually,
  follow,
  said,
  viewer,
  testContext,
  type TestContext,
} from '../host/test-context.test-helper.ts'

type Context = Readonly<Record<string, unknown>>

interface Button {
  readonly id: string
  readonly name?: string
  readonly context?: Context
}

const book: Button = { id: 'book', name: 'book_flight', context: { flight: 'BA 2043', seat: { path: '/seat' } } }

function button({ id, name = 'press', context = {} }: Button) {
  return [
    { id, component: 'Button', child: `${id}-label`, action: { event: { name, context } } },
    { id: `${id}-label`, component: 'Text', text: `Press ${id}` },
  ]
}

/** The messages of a surface with these buttons. */
function surface(surfaceId: string, buttons: readonly Button[] = [book], more: object = {}) {
  const version = 'v0.9'
  const root = { id: 'root', component: 'Column', children: buttons.map(({ id }) => id) }
  return [
    { version, createSurface: { surfaceId, catalogId: 'https://example.com/catalog.json', ...more } },
    { version, updateComponents: { surfaceId, components: [root, ...buttons.flatMap((one) => button(one))] } },
  ]
}

const shows = (data: unknown, slotKey?: string) => ({
  partType: 'a2ui-surface',
  data,
  ...(slotKey !== undefined && { metadata: { slotKey } }),
})

let clicks = 0

/** What a client sends when a user presses a button, each time at another time. */
function press(surfaceId: string, { id, name = 'press', context = {} }: Button = book, more: object = {}): Part {
  const timestamp = new Date(1_790_000_000_000 + clicks++).toISOString()
  const action = { name, surfaceId, sourceComponentId: id, timestamp, context }
  return { data: { version: 'v0.9', action }, metadata: { partType: 'a2ui-action', ...more } }
}

const pressed: Button = { ...book, context: { flight: 'BA 2043', seat: '12A' } }

function message(part: Part, by: Principal = alice): Inbound {
  return { parts: [part], from: viewer(by) }
}

/** Shows what the message says, and says what it was told otherwise. */
function shower(surfaces: Readonly<Record<string, readonly object[]>>, received: Part[] = []) {
  return async ({ messages, text, respond }: ActorContext) => {
    received.push(...messages.flatMap(({ parts }) => parts))
    const parts = surfaces[text] ?? [{ partType: 'response', text: `Heard: ${text}` }]
    await respond({ parts: parts as never, turnState: 'complete' })
  }
}

async function talk(sessions: SessionTurnManager, session: string, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    await sessions.post(session, said(text), alice)
    await eventually(async () => {
      const { turn, waiting } = await sessions.view(session, alice)
      return turn === undefined && waiting === 0
    })
  }
}

async function open(
  surfaces: Readonly<Record<string, readonly object[]>>,
  { there = testContext(), options = {}, received = [] as Part[] } = {},
) {
  const process = there.process({ shower: shower(surfaces, received) }, options)
  const session = await process.sessions.open({ principal: alice })
  return { ...process, there, session, received }
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    return isBeachError(error) ? `${error.code}: ${error.message}` : String(error)
  }
  return 'nothing'
}

const stale = 'STALE_SURFACE: This surface has been replaced or removed. Look at the current one.'

describe('an action', () => {
  test('comes to the actor as a message, with what the button says', async () => {
    const { sessions, session, received } = await open({ show: [shows(surface('flights'))] })
    await talk(sessions, session, 'show')
    const seen = follow(sessions, session)
    const posted = await sessions.post(session, message(press('flights', pressed, { label: 'Forged' })), alice)
    await seen.until((frame) => frame.kind === 'settled' && frame.turnState === 'complete' && received.length === 2)
    expect(posted.duplicate).toBe(false)
    expect(received[1]).toMatchObject({
      data: { action: { name: 'book_flight', context: { flight: 'BA 2043', seat: '12A' } } },
      metadata: { partType: 'a2ui-action', label: 'Press book' },
    })
    await eventually(() => JSON.stringify(seen.frames).includes('Heard'))
    const shown = seen.frames.find((frame) => frame.kind === 'part' && frame.part.metadata.partType === 'a2ui-action')
    expect(shown).toMatchObject({ role: 'user', partId: `${posted.messageId}.0` })
    expect(JSON.stringify(seen.frames)).toContain(
      'Heard: Pressed “Press book” (flight: \\"BA 2043\\", seat: \\"12A\\")',
    )
    seen.leave()
  })

  test.each([
    ['a component without one', { id: 'root' }, "The component 'root' of this surface has no action."],
    ['a component that is not there', { id: 'pay' }, "The component 'pay' of this surface has no action."],
    ['another name', { ...pressed, name: 'cancel' }, "has no action 'cancel'; it has 'book_flight'."],
    [
      'a forged context',
      { ...book, context: { flight: 'XX 1', seat: '12A' } },
      'The context is not the one of this action: flight must be as declared.',
    ],
    ['a context without what is declared', { ...book, context: { seat: '12A' } }, 'flight must be as declared.'],
    [
      'a context with more than is declared',
      { ...book, context: { ...pressed.context, price: 1 } },
      'The context of this action has no price.',
    ],
  ])('is refused for %s', async (_, sent, problem) => {
    const { sessions, session } = await open({ show: [shows(surface('flights'))] })
    await talk(sessions, session, 'show')
    expect(await codeOf(sessions.post(session, message(press('flights', sent)), alice))).toMatch(
      new RegExp(`^INVALID_PART: .*${problem.replaceAll(/[.()]/g, '\\$&')}$`),
    )
    expect((await sessions.view(session, alice)).waiting).toBe(0)
  })

  test('may leave out a bound value, and is matched with any of several contexts', async () => {
    const twice = { id: 'pick', component: 'Picker', options: [event('a'), event('b')] }
    const data = [
      ...surface('flights'),
      { version: 'v0.9', updateComponents: { surfaceId: 'flights', components: [twice] } },
    ]
    const { sessions, session } = await open({ show: [shows(data)] })
    await talk(sessions, session, 'show')
    const unseated = { ...book, context: { flight: 'BA 2043' } }
    expect((await sessions.post(session, message(press('flights', unseated)), alice)).duplicate).toBe(false)
    for (const choice of ['a', 'b']) {
      const sent = { id: 'pick', name: 'pick', context: { choice } }
      expect((await sessions.post(session, message(press('flights', sent)), alice)).duplicate).toBe(false)
    }
    const other = { id: 'pick', name: 'pick', context: { choice: 'c' } }
    expect(await codeOf(sessions.post(session, message(press('flights', other)), alice))).toMatch(/INVALID_PART/)
  })

  const event = (choice: string) => ({ action: { event: { name: 'pick', context: { choice } } } })

  test('brings the data of surfaces that asked for it, and of no other', async () => {
    const { sessions, session, received } = await open({
      show: [shows(surface('asks', [book], { sendDataModel: true })), shows(surface('does-not'))],
    })
    await talk(sessions, session, 'show')
    const surfaces = { asks: { seat: '12A' }, 'does-not': { secret: 1 }, gone: {} }
    const more = { a2uiClientDataModel: { version: 'v0.9', surfaces } }
    await sessions.post(session, message(press('asks', pressed, more)), alice)
    await eventually(() => received.length === 2)
    expect(received[1]?.metadata.a2uiClientDataModel).toEqual({ version: 'v0.9', surfaces: { asks: { seat: '12A' } } })
  })

  test('needs a session that is the caller’s own', async () => {
    const { sessions, session } = await open({ show: [shows(surface('flights'))] })
    await talk(sessions, session, 'show')
    expect(await codeOf(sessions.post(session, message(press('flights', pressed), bob), bob))).toMatch(/^NOT_FOUND/)
    expect(
      await codeOf(sessions.take(session, message(press('x', { id: 'a', name: approvalAction }), bob), bob)),
    ).toMatch(/^NOT_FOUND/)
  })
})

describe('a surface is stale', () => {
  const other: Button = { id: 'other' }
  const version = 'v0.9'

  test.each([
    ['when it was never there', [], stale],
    ['when it was deleted', [shows({ version, deleteSurface: { surfaceId: 'flights' } }, 'results')], stale],
    ['when another has its slot', [shows(surface('hotels', [other]), 'results')], stale],
    ['not when another has another slot', [shows(surface('hotels', [other]), 'elsewhere')], 'nothing'],
    ['not when another has no slot', [shows(surface('hotels', [other]))], 'nothing'],
    [
      'not when only its data changes',
      [shows({ version, updateDataModel: { surfaceId: 'flights' } }, 'results')],
      'nothing',
    ],
    [
      'for the buttons that it no longer has when it is created anew',
      [shows(surface('flights', [other]), 'results')],
      stale,
    ],
    [
      'for a button that is defined anew',
      [shows({ version, updateComponents: { surfaceId: 'flights', components: [{ id: 'book', component: 'Text' }] } })],
      stale,
    ],
  ])('%s', async (title, then, outcome) => {
    const first = title.includes('never') ? [] : [shows(surface('flights'), 'results')]
    const done = { partType: 'response', text: 'ok' }
    const { sessions, session } = await open({ show: [done, ...first], later: [done, ...then] })
    await talk(sessions, session, 'show', 'later')
    expect(await codeOf(sessions.post(session, message(press('flights', pressed)), alice))).toBe(outcome)
  })

  test('when there were 200 others since, or 2,000 actions', async () => {
    const many = (count: number, buttons: number) => {
      const own = Array.from({ length: buttons }, (_, index) => ({ id: `b${index}` }))
      return Array.from({ length: count }, (_, index) => shows(surface(`s${index}`, own)))
    }
    const { sessions, session, there } = await open({
      show: [shows(surface('flights'))],
      199: many(199, 1),
      one: [shows(surface('last', [other]))],
      actions: many(5, 400),
    })
    await talk(sessions, session, 'show', '199')
    expect(await codeOf(sessions.post(session, message(press('flights', pressed)), alice))).toBe('nothing')
    await talk(sessions, session, 'one')
    expect(await codeOf(sessions.post(session, message(press('flights', pressed)), alice))).toBe(stale)
    expect(await codeOf(sessions.post(session, message(press('s0', { id: 'b0' })), alice))).toBe('nothing')
    await talk(sessions, session, 'actions')
    expect(await codeOf(sessions.post(session, message(press('last', other)), alice))).toBe(stale)
    const rebuilt = there.process({ shower: shower({}) })
    expect(await codeOf(rebuilt.sessions.post(session, message(press('s4', { id: 'b399' })), alice))).toBe('nothing')
  })
})

describe('the same action twice', () => {
  /** Answers when it is let. */
  function slow(there: TestContext) {
    let answer = () => {}
    const waits = new Promise<void>((resolve) => (answer = resolve))
    const received: string[] = []
    const actor = async ({ text, respond }: ActorContext) => {
      received.push(text)
      if (text !== 'show') await waits
      const parts = text === 'show' ? [shows(surface('flights'))] : [{ partType: 'response', text: 'ok' }]
      await respond({ parts, turnState: 'complete' })
    }
    return { ...there.process({ actor }), received, answer: () => answer() }
  }

  test('is one message for as long as it is not answered, and another one afterwards', async () => {
    const there = testContext()
    const { sessions, received, answer } = slow(there)
    const session = await sessions.open({ principal: alice })
    await talk(sessions, session, 'show')
    const first = await sessions.post(session, message(press('flights', pressed)), alice)
    await eventually(() => received.length === 2)
    const elsewhere = there.process({ actor: async () => {} })
    const again = await Promise.all([
      sessions.post(session, message(press('flights', pressed)), alice),
      sessions.post(session, { ...message(press('flights', pressed)), dedupeKey: 'http:another' }, alice),
      elsewhere.sessions.post(session, message(press('flights', pressed)), alice),
    ])
    expect(again).toEqual(again.map(() => ({ ...first, duplicate: true })))
    // Another seat is another message.
    const window = { ...book, context: { flight: 'BA 2043', seat: '1A' } }
    const other = await sessions.post(session, message(press('flights', window)), alice)
    expect(other.duplicate).toBe(false)
    expect(await sessions.post(session, message(press('flights', window)), alice)).toEqual({
      ...other,
      duplicate: true,
    })
    answer()
    await eventually(async () => (await sessions.view(session, alice)).turn === undefined)
    await eventually(async () => (await sessions.view(session, alice)).waiting === 0)
    await eventually(async () => (await sessions.view(session, alice)).turn === undefined)
    const later = await sessions.post(session, message(press('flights', pressed)), alice)
    expect(later.duplicate).toBe(false)
  })

  test('at the same time is one message', async () => {
    const { sessions, session, there } = await open({ show: [shows(surface('flights'))] })
    await talk(sessions, session, 'show')
    const posted = await Promise.all(
      [1, 2, 3].map(() => sessions.post(session, message(press('flights', pressed)), alice)),
    )
    expect(new Set(posted.map(({ messageId }) => messageId)).size).toBe(1)
    const events = await eventsOf(there, session)
    expect(events.filter(({ type }) => type === 'messageReceived')).toHaveLength(2)
  })

  test('by a retry is the first one, also when the surface is gone since', async () => {
    const { sessions, session } = await open({
      show: [shows(surface('flights'), 'results')],
      later: [shows(surface('hotels'), 'results')],
    })
    await talk(sessions, session, 'show')
    const sent = message(press('flights', pressed))
    const first = await sessions.post(session, sent, alice)
    await eventually(async () => (await sessions.view(session, alice)).turn === undefined)
    await talk(sessions, session, 'later')
    expect(await sessions.post(session, sent, alice)).toEqual({ ...first, duplicate: true })
    expect(await codeOf(sessions.post(session, message(press('flights', pressed)), alice))).toBe(stale)
  })
})

describe('the surface of an approval', () => {
  const booker =
    (expiresAt?: number) =>
    async ({ respond, tool, text }: ActorContext) => {
      if (text === 'show') return respond({ parts: [shows(surface('flights'))], turnState: 'complete' })
      if (text.startsWith('Pressed'))
        return respond({ parts: [{ partType: 'response', text: `Heard: ${text}` }], turnState: 'complete' })
      const expiry = expiresAt === undefined ? {} : { approvalExpiresAt: expiresAt }
      const { outcome } = await tool({ name: 'book', args: {}, requiresApproval: true, ...expiry }, async () => 1)
      await respond({ parts: [{ partType: 'response', text: outcome }], turnState: 'complete' })
    }

  async function asked(
    there: TestContext,
    { options = {}, expiresAt }: { options?: Partial<SessionTurnManagerOptions>; expiresAt?: number } = {},
  ) {
    const process = there.process({ booker: booker(expiresAt) }, options)
    const session = await process.sessions.open({ principal: alice })
    await talk(process.sessions, session, 'show')
    const seen = follow(process.sessions, session)
    await process.sessions.post(session, said('book'), alice)
    await seen.until((frame) => frame.kind === 'turn' && frame.turnState === 'suspended')
    const [approvalId = ''] = (await process.sessions.view(session, alice)).turn?.pendingApprovals ?? []
    return { ...process, session, seen, approvalId }
  }

  const decides = (surfaceId: string, approvalId: string, decision: string) => {
    const id = decision === 'granted' ? 'approve' : 'deny'
    return press(surfaceId, { id, name: approvalAction, context: { approvalId, decision } })
  }

  test.each([
    ['granted', 'ok'],
    ['denied', 'denied'],
  ] as const)('decides it: %s', async (decision, outcome) => {
    const { sessions, session, seen, approvalId } = await asked(testContext())
    const inbound = message(decides(`approval-${approvalId}`, approvalId, decision))
    const answer = { approvalId, decision }
    expect(await sessions.take(session, inbound, alice)).toEqual({ kind: 'decided', answer, decided: 'decided' })
    await seen.until((frame) => frame.kind === 'part' && frame.part.text === outcome)
    // The card is still there; what it would decide is not.
    expect(await sessions.take(session, inbound, alice)).toEqual({ kind: 'decided', answer, decided: 'already' })
    seen.leave()
  })

  test('is no message, also for a channel that forgets to ask', async () => {
    const { sessions, session, seen, approvalId } = await asked(testContext())
    const part = decides(`approval-${approvalId}`, approvalId, 'granted')
    expect(await codeOf(sessions.post(session, message(part), alice))).toMatch(/INVALID_PART: .*it is no message/)
    expect((await sessions.view(session, alice)).turn?.pendingApprovals).toEqual([approvalId])
    const both = { ...message(part), parts: [part, press('flights', pressed)] }
    expect(await codeOf(sessions.take(session, both, alice))).toMatch(/BAD_REQUEST: .*must be alone/)
    seen.leave()
  })

  test('takes only what it says itself', async () => {
    const { sessions, session, seen, approvalId } = await asked(testContext())
    const surfaceId = `approval-${approvalId}`
    const forged = [
      press(surfaceId, {
        id: 'approve',
        name: approvalAction,
        context: { approvalId: 'approval_other', decision: 'granted' },
      }),
      press(surfaceId, { id: 'deny', name: approvalAction, context: { approvalId, decision: 'granted' } }),
      press('flights', { id: 'book', name: approvalAction, context: { approvalId, decision: 'granted' } }),
    ]
    for (const part of forged)
      expect(await codeOf(sessions.take(session, message(part), alice))).toMatch(/^INVALID_PART/)
    const gone = decides('approval-approval_none', 'approval_none', 'granted')
    expect(await codeOf(sessions.take(session, message(gone), alice))).toBe(stale)
    expect((await sessions.view(session, alice)).turn?.pendingApprovals).toEqual([approvalId])
    seen.leave()
  })

  test('decides nothing any more when its time is over', async () => {
    const there = testContext()
    const expiresAt = there.runtime.clock.now() + 1_000
    const { session, seen, approvalId, crash } = await asked(there, { expiresAt })
    crash()
    await there.runtime.clock.advance(1_500)
    // This process runs no turns, so that the log does not say yet that the approval has expired.
    const idle = new SessionTurnManager({
      store: there.store,
      runtime: there.runtime,
      partTypes,
      turnStates,
      actors: { booker: { run: async () => {} } },
    })
    const inbound = message(decides(`approval-${approvalId}`, approvalId, 'granted'))
    expect(await idle.take(session, inbound, alice)).toMatchObject({ answer: { approvalId }, decided: 'expired' })
    seen.leave()
  })

  test('is known to the process that comes after a crash', async () => {
    const there = testContext()
    const first = await asked(there)
    first.crash()
    const { sessions } = there.process({ booker: booker() })
    const { approvalId, session } = first
    expect((await sessions.post(session, message(press('flights', pressed)), alice)).duplicate).toBe(false)
    const inbound = message(decides(`approval-${approvalId}`, approvalId, 'granted'))
    expect(await sessions.take(session, inbound, alice)).toMatchObject({ answer: { approvalId }, decided: 'decided' })
  })

  test('may be the application’s own, and is then the only one that decides', async () => {
    const templates = new SurfaceTemplateRegistry()
    templates.register('approval-request', ({ approvalId }: ApprovalRequest) => {
      const context = { approvalId, decision: 'granted' }
      const stranger = { approvalId: 'approval_other', decision: 'granted' }
      return surface(`mine-${approvalId}`, [
        { id: 'yes', name: approvalAction, context },
        { id: 'other', name: approvalAction, context: stranger },
      ])
    })
    const { sessions, session, seen, approvalId } = await asked(testContext(), { options: { templates } })
    const sent = (id: string, of: string) =>
      message(
        press(`mine-${approvalId}`, { id, name: approvalAction, context: { approvalId: of, decision: 'granted' } }),
      )
    expect(await codeOf(sessions.take(session, sent('other', 'approval_other'), alice))).toMatch(/^INVALID_PART/)
    expect(await sessions.take(session, sent('yes', approvalId), alice)).toMatchObject({ answer: { approvalId } })
    seen.leave()
  })

  test('waits while other actions wait with it, and those are taken afterwards', async () => {
    const { sessions, session, seen, approvalId } = await asked(testContext())
    const first = await sessions.post(session, message(press('flights', pressed)), alice)
    const again = await sessions.post(session, message(press('flights', pressed)), alice)
    expect(again).toEqual({ ...first, duplicate: true })
    expect(await sessions.view(session, alice)).toMatchObject({ waiting: 1, turn: { pendingApprovals: [approvalId] } })
    await sessions.decide(approvalId, { decision: 'granted' }, alice)
    await seen.until((frame) => textOf(frame)?.startsWith('Heard: Pressed “Press book”') === true)
    seen.leave()
  })

  const textOf = (frame: Frame) => (frame.kind === 'part' && frame.role === 'agent' ? frame.part.text : undefined)
})

describe('no other surface decides approvals', () => {
  const context = { approvalId: 'approval_x', decision: 'granted' }
  const card = surface('friendly', [{ id: 'ok', name: approvalAction, context }])

  test.each([
    ['an actor’s that uses the name of the action', card, /The action 'approval.decide' is reserved/],
    ['an actor’s with such an id', surface('approval-approval_x'), /The surface id 'approval-approval_x' is reserved/],
    [
      'an actor’s that changes one',
      { version: 'v0.9', updateDataModel: { surfaceId: 'approval-x', path: '/title', value: 'Free gift?' } },
      /The surface id 'approval-x' is reserved/,
    ],
    ['an actor’s that removes one', { version: 'v0.9', deleteSurface: { surfaceId: 'approval-x' } }, /reserved/],
    [
      'an actor’s with too many actions',
      surface(
        'many',
        Array.from({ length: 501 }, (_, index) => ({ id: `b${index}` })),
      ),
      /A surface may declare 500 actions; this one has 501/,
    ],
    [
      'an actor’s with too much in a context',
      surface('large', [{ id: 'b', context: { all: 'x'.repeat(17_000) } }]),
      /longer than 16000/,
    ],
  ])('%s is refused, and the actor told why', async (_, data, problem) => {
    const problems: string[] = []
    const actor = async ({ respond }: ActorContext) => {
      try {
        await respond({ parts: [shows(data)], turnState: 'complete' })
      } catch (error) {
        problems.push(String(error))
        await respond({ parts: [{ partType: 'response', text: 'sorry' }], turnState: 'complete' })
      }
    }
    const { sessions } = testContext().process({ actor })
    const session = await sessions.open({ principal: alice })
    await talk(sessions, session, 'show')
    expect(problems.join()).toMatch(problem)
  })

  test('nor one that work in parallel to a turn shows', async () => {
    const problems: string[] = []
    const work: Work = {
      run: async (_, { emit }) => {
        await emit([shows(card)]).catch((error: unknown) => problems.push(String(error)))
        return {}
      },
    }
    const actor = defineActor(
      async ({ respond, manifest }) => {
        await manifest({ name: 'm', slots: { s: { work: 'work' } } })
        await respond({ parts: [{ partType: 'response', text: 'ok' }], turnState: 'complete' })
      },
      { works: { work } },
    )
    const { sessions } = testContext().process({ actor })
    const session = await sessions.open({ principal: alice })
    await sessions.post(session, said('go'), alice)
    await eventually(() => problems.length > 0)
    expect(problems.join()).toMatch(/reserved/)
  })

  test('nor one that a template makes of data', async () => {
    const templates = new SurfaceTemplateRegistry()
    templates.register('offer', (data) => data)
    const offer = { partType: 'domain-data', data: { messages: card }, metadata: { kind: 'offer' } }
    const { sessions, session, there } = await open({ show: [offer] }, { options: { templates } })
    await talk(sessions, session, 'show')
    const events = await eventsOf(there, session)
    expect(events.filter((event) => event.type === 'partReceived').map(({ partType }) => partType)).toEqual([
      'domain-data',
    ])
  })

  test('nor does an actor touch the application’s own', async () => {
    const templates = new SurfaceTemplateRegistry()
    templates.register('approval-request', ({ approvalId }: ApprovalRequest) =>
      surface('mine', [{ id: 'yes', name: approvalAction, context: { approvalId, decision: 'granted' } }]),
    )
    const problems: string[] = []
    const actor = async ({ respond, tool }: ActorContext) => {
      await tool({ name: 'book', args: {}, requiresApproval: true }, async () => 1)
      const data = { version: 'v0.9', updateDataModel: { surfaceId: 'mine', path: '/', value: {} } }
      await respond({ parts: [shows(data)], turnState: 'complete' }).catch((error: unknown) => {
        problems.push(String(error))
        throw error
      })
    }
    const { sessions } = testContext().process({ actor }, { templates })
    const session = await sessions.open({ principal: alice })
    const seen = follow(sessions, session)
    await sessions.post(session, said('book'), alice)
    await seen.until((frame) => frame.kind === 'turn' && frame.turnState === 'suspended')
    const [approvalId = ''] = (await sessions.view(session, alice)).turn?.pendingApprovals ?? []
    await sessions.decide(approvalId, { decision: 'granted' }, alice)
    await seen.settled()
    expect(problems.join()).toMatch(/The surface 'mine' is the one of an approval/)
    seen.leave()
  })
})
