import { BeachError, type Part, type ToolContext } from '@cool-ai/beach-core'
import type { PeerAction, SessionPeers } from '@cool-ai/beach-core/ports'
import { describe, expect, test } from 'vitest'
import type { SessionTurnManagerOptions } from '../host/session-turn-manager.ts'
import { alice, bob, eventsOf, eventually, said, testContext, viewer } from '../host/test-context.test-helper.ts'
import type { ActorContext } from '../turn/function-actor.ts'

const version = 'v0.9'
const catalogId = 'https://example.com/catalog.json'

/** The messages of a surface with one button. */
function surface(surfaceId: string, more: object = {}, label = 'Choose') {
  const event = { name: 'choose', context: { flight: 'BA 2043' } }
  const button = { id: 'choose', component: 'Button', child: 'label', action: { event } }
  const components = [{ id: 'root', component: 'Column', children: ['choose'] }, button]
  return [
    { version, createSurface: { surfaceId, catalogId, ...more } },
    {
      version,
      updateComponents: { surfaceId, components: [...components, { id: 'label', component: 'Text', text: label }] },
    },
  ]
}

/** What a tool passes on of a peer. */
function ofPeer(
  data: unknown,
  { peer = 'sally', ...more }: Readonly<Record<string, string>> = {},
  metadata = {},
): Part {
  const origin = { peer, name: peer, taskId: 'task-1', conversationId: 'in-context', ...more }
  return { data, metadata: { partType: 'a2ui-surface', origin, ...metadata } }
}

const own = (data: unknown): Part => ({ data, metadata: { partType: 'a2ui-surface' } })
const done = { partType: 'response', text: 'done' }

let clicks = 0

function press(surfaceId: string, metadata: object = {}): Part {
  const timestamp = new Date(1_790_000_000_000 + clicks++).toISOString()
  const action = { name: 'choose', surfaceId, sourceComponentId: 'choose', timestamp, context: { flight: 'BA 2043' } }
  return { data: { version, action }, metadata: { partType: 'a2ui-action', ...metadata } }
}

/** Peers that are told what is done on their surfaces. */
function knownPeers(
  answer: (action: PeerAction, context: ToolContext) => Promise<unknown> = async () => ({ answer: 'Chosen.' }),
  ids: readonly string[] = ['sally', 'ann'],
) {
  const reported: PeerAction[] = []
  const peers: SessionPeers = {
    scopesOf: (id) => (ids.includes(id) ? [] : undefined),
    forward: (action, context) => {
      reported.push(action)
      return answer(action, context)
    },
  }
  return { peers, reported }
}

/** A session whose actor says, for each text, the parts of it, one step after the other. */
async function open(
  steps: Readonly<Record<string, readonly Part[]>>,
  options: Partial<SessionTurnManagerOptions> = {},
  there = testContext(),
) {
  const forwarded: ActorContext['forwarded'][] = []
  const actor = async (turn: ActorContext) => {
    forwarded.push(turn.forwarded)
    for (const part of steps[turn.text] ?? []) await turn.respond({ parts: [part], turnState: 'awaiting' })
    await turn.respond({ parts: [done], turnState: 'complete' })
  }
  const { sessions, crash } = there.process({ actor }, options)
  const session = await sessions.open({ principal: alice })
  const rests = () =>
    eventually(async () => {
      const { turn, waiting } = await sessions.view(session, alice)
      return waiting === 0 && (turn === undefined || turn.turnState === 'suspended')
    })
  const say = async (text: string) => {
    await sessions.post(session, said(text), alice)
    await rests()
  }
  const act = async (...parts: Part[]) => {
    const posted = await sessions.take(session, { parts, from: viewer() }, alice)
    await rests()
    return posted
  }
  const refusal = (part: Part, by = alice) =>
    sessions.take(session, { parts: [part], from: viewer(by) }, by).catch((error: unknown) => error as BeachError)
  return { sessions, session, say, act, refusal, rests, forwarded, crash, there }
}

describe('an action on a surface of a peer', () => {
  test('is passed on to it before the actor begins, with the conversation, and the actor is told what came of it', async () => {
    const { peers, reported } = knownPeers()
    const { say, act, forwarded, session, there } = await open({ show: [ofPeer(surface('peer:a:s'))] }, { peers })
    await say('show')
    await act(press('peer:a:s', { to: { peer: 'ann' } }))
    expect(reported).toMatchObject([{ peer: 'sally', conversationId: 'in-context', part: { data: { version } } }])
    expect(forwarded.at(-1)).toMatchObject([
      { peer: 'sally', outcome: { outcome: 'ok', value: { answer: 'Chosen.' } } },
    ])
    const types = (await eventsOf(there, session)).map(({ type }) => type)
    expect(types.filter((type) => type === 'toolStarted')).toHaveLength(1)
  })

  test('on one of the agent’s own is passed on to no one', async () => {
    const { peers, reported } = knownPeers()
    const { say, act, forwarded } = await open({ show: [own(surface('s'))] }, { peers })
    await say('show')
    await act(press('s', { to: { peer: 'sally', conversationId: 'in-context' } }))
    expect(reported).toEqual([])
    expect(forwarded.at(-1)).toEqual([])
  })

  test('is passed on once, whichever actors have the turn', async () => {
    const { peers, reported } = knownPeers()
    const there = testContext()
    const received: string[] = []
    const pass = (to: string) => async (turn: ActorContext) => {
      received.push(JSON.stringify(turn.forwarded.map(({ outcome }) => outcome)))
      if (turn.text === 'show')
        return turn.respond({ parts: [ofPeer(surface('peer:a:s')), done], turnState: 'complete' })
      const ends = received.length > 3
      const parts = [ends ? done : { partType: 'thinking', text: 'Yours.' }] as const
      return turn.respond(ends ? { parts, turnState: 'complete' } : { parts, turnState: 'passed', passTo: to })
    }
    const { sessions } = there.process({ one: pass('other'), other: pass('one') }, { peers, entry: 'one' })
    const session = await sessions.open({ principal: alice })
    const rests = () => eventually(async () => (await sessions.view(session, alice)).turn === undefined)
    await sessions.post(session, said('show'), alice)
    await rests()
    await sessions.post(session, { parts: [press('peer:a:s')], from: viewer() }, alice)
    await eventually(async () => received.length === 4)
    await rests()
    expect(reported).toHaveLength(1)
    const outcome = '[{"outcome":"ok","value":{"answer":"Chosen."}}]'
    expect(received).toEqual(['[]', outcome, outcome, outcome])
  })

  test('is passed on after those that were done before it', async () => {
    const order: string[] = []
    const { peers } = knownPeers(async ({ part }) => {
      const { action } = part.data as { action: { surfaceId: string } }
      order.push(`begin ${action.surfaceId}`)
      await new Promise((resolve) => setImmediate(resolve))
      order.push(`end ${action.surfaceId}`)
    })
    const shown = [ofPeer(surface('peer:a:one')), ofPeer(surface('peer:a:two'))]
    const { say, act } = await open({ show: shown }, { peers })
    await say('show')
    await act(press('peer:a:two'), press('peer:a:one'))
    expect(order).toEqual(['begin peer:a:two', 'end peer:a:two', 'begin peer:a:one', 'end peer:a:one'])
  })

  test('that cannot be passed on is told to the actor with the reason, and the turn goes on', async () => {
    const { peers } = knownPeers(async () => {
      throw new BeachError('UNREACHABLE', 'Sally cannot be reached.')
    })
    const { say, act, forwarded } = await open({ show: [ofPeer(surface('peer:a:s'))] }, { peers })
    await say('show')
    await act(press('peer:a:s'))
    expect(forwarded.at(-1)).toMatchObject([{ outcome: { outcome: 'failed', reason: 'Sally cannot be reached.' } }])
  })

  test('is refused when its peer is not one of the agent’s any more, and nothing is written', async () => {
    const there = testContext()
    const { say, session, crash } = await open({ show: [ofPeer(surface('peer:a:s'))] }, knownPeers(), there)
    await say('show')
    crash()
    for (const options of [{}, { peers: knownPeers(undefined, ['ann']).peers }]) {
      const { sessions } = there.process({ actor: async () => {} }, options)
      const before = (await eventsOf(there, session)).length
      const taken = sessions.post(session, { parts: [press('peer:a:s')], from: viewer() }, alice)
      await expect(taken).rejects.toMatchObject({ code: 'STALE_SURFACE', message: expect.stringContaining('another') })
      expect(await eventsOf(there, session)).toHaveLength(before)
    }
  })

  test('is passed on when the process has ended in between, and told the same when it ends meanwhile', async () => {
    const there = testContext()
    const first = knownPeers(() => new Promise(() => {}))
    const { say, session, sessions, crash } = await open({ show: [ofPeer(surface('peer:a:s'))] }, first, there)
    await say('show')
    await sessions.post(session, { parts: [press('peer:a:s')], from: viewer() }, alice)
    await eventually(async () => first.reported.length === 1)
    crash()
    const keys: string[] = []
    const { peers, reported } = knownPeers(async (_, { key }) => keys.push(key))
    const next = there.process(
      { actor: async ({ respond }) => respond({ parts: [done], turnState: 'complete' }) },
      { peers },
    )
    await there.runtime.clock.advance(60_000)
    await eventually(async () => (await next.sessions.view(session, alice)).turn === undefined)
    expect(reported).toEqual(first.reported)
    expect(keys).toHaveLength(1)
  })

  test('may need an approval of the user: it is asked for once, and the peer is told again afterwards', async () => {
    const decisions: unknown[] = []
    const { peers } = knownPeers(async (_, { approve }) => {
      decisions.push(await approve?.({ toolName: 'sally: book', args: { price: 187 } }))
      return { answer: 'Booked.' }
    })
    const { say, act, sessions, session, rests, forwarded } = await open(
      { show: [ofPeer(surface('peer:a:s'))] },
      { peers },
    )
    await say('show')
    await act(press('peer:a:s'))
    const { turn } = await sessions.view(session, alice)
    expect(turn?.turnState).toBe('suspended')
    expect(forwarded).toHaveLength(1)
    const [approvalId = ''] = turn?.pendingApprovals ?? []
    expect(await sessions.decide(approvalId, { decision: 'granted' }, alice)).toBe('decided')
    await eventually(async () => forwarded.length === 2)
    await rests()
    expect(decisions).toMatchObject([{ decision: 'granted' }])
    expect(forwarded[1]).toMatchObject([{ outcome: { value: { answer: 'Booked.' } } }])
  })
})

describe('a surface of a peer', () => {
  const remove = (surfaceId: string) => [{ version, deleteSurface: { surfaceId } }]
  const label = (surfaceId: string) => {
    const components = [{ id: 'other', component: 'Text', text: 'Changed' }]
    return [{ version, updateComponents: { surfaceId, components } }]
  }

  test('goes on with the task that asked something, until another answer of that task says otherwise', async () => {
    const { peers, reported } = knownPeers()
    const about = (conversationId: string, partType = 'clarify'): Part => {
      return { text: 'Which?', metadata: { partType, conversationId, origin: { peer: 'sally', taskId: 'task-1' } } }
    }
    const steps = {
      form: [ofPeer(surface('peer:a:s')), about('answers-task-1')],
      later: [about('in-context', 'thinking')],
      other: [
        {
          ...about('of-another'),
          metadata: { ...about('of-another').metadata, origin: { peer: 'ann', taskId: 'task-1' } },
        },
      ],
      next: [ofPeer(label('peer:a:s'), { taskId: 'task-2', conversationId: 'in-context' }), about('answers-task-1')],
    }
    const { say, act } = await open(steps, { peers })
    await say('form')
    await act(press('peer:a:s'))
    await say('other')
    await act(press('peer:a:s'))
    await say('later')
    await act(press('peer:a:s'))
    await say('next')
    await act(press('peer:a:s'))
    expect(reported.map(({ conversationId }) => conversationId)).toEqual([
      'answers-task-1',
      'answers-task-1',
      'in-context',
      'in-context',
    ])
  })

  test('that the peer has changed or removed is so here, too', async () => {
    const { peers, reported } = knownPeers()
    const gone = [{ id: 'choose', component: 'Text', text: 'Sold out' }]
    const steps = {
      show: [ofPeer(surface('peer:a:s')), ofPeer(surface('peer:a:t'))],
      sold: [ofPeer([{ version, updateComponents: { surfaceId: 'peer:a:s', components: gone } }])],
      remove: [ofPeer(remove('peer:a:t'))],
    }
    const { say, refusal } = await open(steps, { peers })
    await say('show')
    await say('sold')
    await say('remove')
    expect(await refusal(press('peer:a:s'))).toMatchObject({ code: 'STALE_SURFACE' })
    expect(await refusal(press('peer:a:t'))).toMatchObject({ code: 'STALE_SURFACE' })
    expect(reported).toEqual([])
  })

  test('gets the data of surfaces of its own peer only', async () => {
    const { peers, reported } = knownPeers()
    const asks = { sendDataModel: true }
    const shown = [
      ofPeer(surface('peer:a:s', asks)),
      ofPeer(surface('peer:b:s', asks), { peer: 'ann' }),
      own(surface('mine', asks)),
    ]
    const received: Part[] = []
    const there = testContext()
    const { sessions } = there.process(
      {
        actor: async ({ text, messages, respond }) => {
          received.push(...messages.flatMap(({ parts }) => parts))
          await respond({ parts: text === 'show' ? shown : [done], turnState: 'complete' })
        },
      },
      { peers },
    )
    const session = await sessions.open({ principal: alice })
    const rests = () => eventually(async () => (await sessions.view(session, alice)).turn === undefined)
    await sessions.post(session, said('show'), alice)
    await rests()
    const surfaces = { 'peer:a:s': { pin: 1 }, 'peer:b:s': { pin: 2 }, mine: { pin: 3 } }
    const a2uiClientDataModel = { version, surfaces }
    for (const id of ['peer:a:s', 'mine']) {
      await sessions.post(session, { parts: [press(id, { a2uiClientDataModel })], from: viewer() }, alice)
      await rests()
    }
    expect(reported[0]?.part.metadata.a2uiClientDataModel).toEqual({ version, surfaces: { 'peer:a:s': { pin: 1 } } })
    expect(received.at(-1)?.metadata.a2uiClientDataModel).toEqual({ version, surfaces: { mine: { pin: 3 } } })
  })

  test('takes no room from the agent’s own, however many there are', async () => {
    const { peers } = knownPeers()
    const many = Array.from({ length: 250 }, (_, index) => ofPeer(surface(`peer:a:${index}`)))
    const { say, act, refusal, forwarded } = await open({ show: [own(surface('mine')), ...many] }, { peers })
    await say('show')
    await act(press('mine'))
    expect(forwarded.at(-1)).toEqual([])
    expect(await refusal(press('peer:a:0'))).toMatchObject({ code: 'STALE_SURFACE' })
    await act(press('peer:a:249'))
    expect(forwarded.at(-1)).toHaveLength(1)
  })

  test('takes no slot from another peer', async () => {
    const { peers, reported } = knownPeers()
    const slotted = (id: string, peer: string) => ofPeer(surface(id), { peer }, { slotKey: 'peers.a.b' })
    const { say, act } = await open({ show: [slotted('peer:a:s', 'sally'), slotted('peer:b:s', 'ann')] }, { peers })
    await say('show')
    await act(press('peer:a:s'))
    expect(reported).toHaveLength(1)
  })

  test.each([
    ['of the agent', own(surface('peer:a:s')), /reserved/],
    ['of another peer', ofPeer(surface('peer:a:s'), { peer: 'ann' }), /'sally'/],
    ['on an id of the agent’s', ofPeer(surface('mine')), /is not one of a peer/],
    ['on an approval’s', ofPeer(surface('approval-1')), /reserved/],
    [
      'that decides an approval',
      ofPeer(
        JSON.parse(JSON.stringify(surface('peer:a:t')).replace('"choose","context"', '"approval.decide","context"')),
      ),
      /approval\.decide/,
    ],
  ])('is not changed, and none is made, by a part %s', async (_, part, problem) => {
    const refused: unknown[] = []
    const { sessions } = testContext().process(
      {
        actor: async ({ text, respond }) => {
          if (text === 'show') return respond({ parts: [ofPeer(surface('peer:a:s')), done], turnState: 'complete' })
          await respond({ parts: [part], turnState: 'awaiting' }).catch((error: unknown) => refused.push(error))
          return respond({ parts: [done], turnState: 'complete' })
        },
      },
      knownPeers(),
    )
    const session = await sessions.open({ principal: alice })
    for (const text of ['show', 'touch']) {
      await sessions.post(session, said(text), alice)
      await eventually(async () => (await sessions.view(session, alice)).turn === undefined)
    }
    expect(refused).toMatchObject([{ code: 'INVALID_PART', message: expect.stringMatching(problem) }])
  })

  test('is nothing to the users of other sessions', async () => {
    const { peers, reported } = knownPeers()
    const { say, sessions, refusal } = await open({ show: [ofPeer(surface('peer:a:s'))] }, { peers })
    await say('show')
    expect(await refusal(press('peer:a:s'), bob)).toMatchObject({ code: 'NOT_FOUND' })
    const other = await sessions.open({ principal: bob })
    const taken = sessions.post(other, { parts: [press('peer:a:s')], from: viewer(bob) }, bob)
    await expect(taken).rejects.toMatchObject({ code: 'STALE_SURFACE' })
    expect(reported).toEqual([])
  })
})
