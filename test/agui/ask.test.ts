import { defineActor } from '@cool-ai/beach'
import { describe, expect, test } from 'vitest'
import { readEvents } from '../support/server-events.ts'
import { clients, customs, newToken, startAgent, StockAgent, typesOf } from './agent.ts'

/** Asks back, and books only what was granted. */
function booker(options: { readonly expiresAt?: () => number; readonly level?: 'admin' } = {}) {
  const booked: string[] = []
  const actor = defineActor(async ({ text, respond, tool, tools }) => {
    const call = (flight: string) => ({
      name: 'book',
      args: { flight },
      requiresApproval: true,
      ...(options.expiresAt && { approvalExpiresAt: options.expiresAt() }),
      ...(options.level && { approvalLevel: options.level }),
    })
    const book = (flight: string) => async () => {
      booked.push(flight)
      return `ref-${flight}`
    }
    if (text === 'find') {
      return respond({ parts: [{ partType: 'clarify', text: 'Where to?' }], turnState: 'clarifying' })
    }
    if (text === 'both') {
      const outcomes = await tools(['one', 'two'].map((flight) => ({ call: call(flight), run: book(flight) })))
      const said = outcomes.map(({ outcome }) => outcome).join(', ')
      return respond({ parts: [{ partType: 'response', text: said }], turnState: 'complete' })
    }
    if (text.startsWith('book')) {
      await respond({ parts: [{ partType: 'ack', text: 'I ask first.' }], turnState: 'awaiting' })
      const outcome = await tool(call('BA1'), book('BA1'))
      const said = outcome.outcome === 'ok' ? `Booked: ${outcome.value}.` : `Not booked. ${outcome.reason}`
      return respond({ parts: [{ partType: 'response', text: said }], turnState: 'complete' })
    }
    return respond({ parts: [{ partType: 'response', text: `You said ${text}` }], turnState: 'complete' })
  })
  return { actor, booked }
}

describe.each(clients)('questions, by %s', (client) => {
  test('are answered by the run that resumes', async () => {
    const { url } = await startAgent({ actors: { actor: booker().actor } })
    const stock = new StockAgent({ url, client })
    const { interrupts } = await stock.say('find')
    expect(interrupts).toMatchObject([
      { reason: 'input_required', message: 'Where to?', metadata: { kind: 'question' } },
    ])
    expect((await stock.resume({ answer: ' Rome ' })).interrupts).toEqual([])
    expect(stock.texts()).toEqual(['Where to?', 'You said Rome'])
  })

  test('an answer may be a text alone; none at all is refused, and the question stays', async () => {
    const { url } = await startAgent({ actors: { actor: booker().actor } })
    const stock = new StockAgent({ url, client })
    await stock.say('find')
    const { rejected } = await stock.resume({ text: 'Rome' })
    expect(rejected?.message).toMatch(/400.*\{ \\"answer\\"/)
    await stock.resume('Rome')
    expect(stock.texts().at(-1)).toBe('You said Rome')
  })

  test('one that is cancelled is withdrawn, and the thread goes on', async () => {
    const { url } = await startAgent({ actors: { actor: booker().actor } })
    const stock = new StockAgent({ url, client })
    await stock.say('find')
    const { interrupts, error, events } = await stock.resume(undefined, 'cancelled')
    expect({ interrupts, error }).toEqual({ interrupts: [], error: undefined })
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } })
    await stock.say('something else')
    expect(stock.texts().at(-1)).toBe('You said something else')
  })

  test('answered twice it counts once, also by another run', async () => {
    const { url } = await startAgent({ actors: { actor: booker().actor } })
    const stock = new StockAgent({ url, client })
    const { interrupts } = await stock.say('find')
    const copy = new StockAgent({ url, client, threadId: stock.threadId, messages: stock.messages })
    const resume = (answer: string) =>
      interrupts.map(({ id }) => ({ interruptId: id, status: 'resolved' as const, payload: { answer } }))
    await stock.run({ resume: resume('Rome') })
    const late = await copy.run({ resume: resume('Paris') })
    expect(customs(late.events, 'beach.notice')).toMatchObject([{ code: 'ALREADY_ANSWERED' }])
    // It is told what became of the question instead.
    expect(copy.texts()).toEqual(['Where to?', 'You said Rome'])
    expect(copy.texts('user')).toEqual(['find', 'Rome'])
  })

  test('answered elsewhere by a message, the answer here is left out with a notice', async () => {
    const { url } = await startAgent({ actors: { actor: booker().actor } })
    const token = await newToken(url)
    const stock = new StockAgent({ url, client, token, threadId: 'mine' })
    await stock.say('find')
    const other = new StockAgent({ url, client, token, threadId: 'mine' })
    await other.say('Oslo')
    const { events } = await stock.resume({ answer: 'Rome' })
    expect(customs(events, 'beach.notice')).toMatchObject([{ code: 'ALREADY_ANSWERED' }])
    expect(stock.texts()).toEqual(['Where to?', 'You said Oslo'])
  })
})

describe.each(clients)('approvals, by %s', (client) => {
  test.each([
    [{ approved: true }, 'Booked: ref-BA1.'],
    [true, 'Booked: ref-BA1.'],
    [{ decision: 'granted' }, 'Booked: ref-BA1.'],
    [{ approved: false, reason: 'Too dear.' }, 'Not booked. Too dear.'],
    [{ decision: 'denied' }, expect.stringMatching(/^Not booked/)],
    [false, expect.stringMatching(/^Not booked/)],
  ])('%j', async (payload, said) => {
    const { actor, booked } = booker()
    const { url } = await startAgent({ actors: { actor } })
    const stock = new StockAgent({ url, client })
    const { interrupts } = await stock.say('book it')
    expect(interrupts).toMatchObject([
      { reason: 'confirmation', metadata: { kind: 'approval', toolName: 'book', args: { flight: 'BA1' } } },
    ])
    expect(booked).toEqual([])
    const resumed = await stock.resume(payload)
    expect(resumed.interrupts).toEqual([])
    const call = ['TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END', 'TOOL_CALL_RESULT']
    // What came before the decision is not told again.
    expect(typesOf(resumed.events)).toEqual([
      'RUN_STARTED',
      ...(booked.length > 0 ? call : []),
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ])
    expect(stock.texts()).toEqual(['I ask first.', said])
  })

  test('one that is cancelled is denied', async () => {
    const { actor, booked } = booker()
    const { url } = await startAgent({ actors: { actor } })
    const stock = new StockAgent({ url, client })
    await stock.say('book it')
    await stock.resume(undefined, 'cancelled')
    expect(stock.texts().at(-1)).toMatch(/^Not booked/)
    expect(booked).toEqual([])
  })

  test.for([
    undefined,
    {},
    'yes',
    { approved: 'true' },
    { approve: true },
    1,
    [],
    { decision: 'GRANTED' },
    { approved: true, decision: 'denied' },
  ])('%j decides nothing', async (payload) => {
    const { actor, booked } = booker()
    const { url } = await startAgent({ actors: { actor } })
    const stock = new StockAgent({ url, client })
    await stock.say('book it')
    const { rejected } = await stock.resume(payload)
    expect(rejected?.message).toMatch(/400.*approved/)
    expect(stock.pending).toHaveLength(1)
    await stock.resume({ approved: false })
    expect(booked).toEqual([])
  })

  test('an answer twice in one run decides nothing', async () => {
    const { actor, booked } = booker()
    const { url } = await startAgent({ actors: { actor } })
    const stock = new StockAgent({ url, client })
    const { interrupts } = await stock.say('book it')
    const answers = [true, false].map((approved) => {
      return { interruptId: interrupts[0]?.id ?? '', status: 'resolved' as const, payload: { approved } }
    })
    const { rejected } = await stock.run({ resume: answers })
    expect(rejected?.message).toMatch(/400.*twice/)
    expect(booked).toEqual([])
  })

  test('of two, each is decided by itself', async () => {
    const { actor, booked } = booker()
    const { url } = await startAgent({ actors: { actor } })
    const stock = new StockAgent({ url, client })
    const { interrupts } = await stock.say('both')
    expect(interrupts).toHaveLength(2)
    const { error } = await stock.run({
      resume: interrupts.map(({ id, metadata }) => {
        const args = metadata?.args as { flight: string } | undefined
        return { interruptId: id, status: 'resolved' as const, payload: { approved: args?.flight === 'two' } }
      }),
    })
    expect(error).toBeUndefined()
    expect(booked).toEqual(['two'])
    expect(stock.texts()).toEqual(['denied, ok'])
  })

  test('one that is left out stays open', async () => {
    const { actor, booked } = booker()
    const { url } = await startAgent({ actors: { actor } })
    const stock = new StockAgent({ url, client })
    const { interrupts } = await stock.say('both')
    const [first, second] = interrupts
    // The stock client would not send this by itself.
    const other = new StockAgent({ url, client, threadId: stock.threadId, messages: stock.messages })
    const part = await other.run({
      resume: [{ interruptId: first?.id ?? '', status: 'resolved', payload: { approved: true } }],
    })
    expect(part.interrupts).toMatchObject([{ id: second?.id }])
    await other.resume({ approved: true })
    expect(other.texts()).toEqual(['ok, ok'])
    expect(booked.toSorted()).toEqual(['one', 'two'])
  })

  test('decided elsewhere meanwhile, the run says so and shows what came of it', async () => {
    const { actor, booked } = booker()
    const { url } = await startAgent({ actors: { actor } })
    const stock = new StockAgent({ url, client })
    const { interrupts } = await stock.say('book it')
    const other = new StockAgent({ url, client, threadId: stock.threadId, messages: stock.messages })
    await other.run({ resume: interrupts.map(({ id }) => ({ interruptId: id, status: 'cancelled' as const })) })
    const { events, error } = await stock.resume({ approved: true })
    expect(error).toBeUndefined()
    expect(customs(events, 'beach.notice')).toMatchObject([{ code: 'ALREADY_DECIDED', interruptId: interrupts[0]?.id }])
    expect(stock.texts().at(-1)).toMatch(/^Not booked/)
    expect(booked).toEqual([])
  })

  test('a message that comes before the decision waits with the client, and is answered after it', async () => {
    const { actor } = booker()
    const { url } = await startAgent({ actors: { actor } })
    const opened = await fetch(`${url}/sessions`, { method: 'POST' })
    const { sessionId, token } = (await opened.json()) as { sessionId: string; token: string }
    const stock = new StockAgent({ url, client, token, threadId: sessionId })
    const { interrupts } = await stock.say('book it')
    // A page that was loaded again has forgotten what was asked.
    const page = new StockAgent({ url, client, token, threadId: sessionId, messages: stock.messages })
    const blocked = await page.say('and then?')
    expect(blocked.interrupts).toMatchObject(interrupts)
    const view = await fetch(`${url}/sessions/${sessionId}`, { headers: { authorization: `Bearer ${token}` } })
    expect(await view.json()).toMatchObject({ waiting: 0, turn: { turnState: 'suspended' } })
    const { interrupts: none, error } = await page.resume({ approved: true })
    expect({ none, error }).toEqual({ none: [], error: undefined })
    expect(page.texts()).toEqual(['I ask first.', 'Booked: ref-BA1.', 'You said and then?'])
  })

  test('one that only an administrator may decide stays open', async () => {
    const { actor, booked } = booker({ level: 'admin' })
    const { url } = await startAgent({ actors: { actor } })
    const stock = new StockAgent({ url, client })
    const { interrupts } = await stock.say('book it')
    expect(interrupts).toMatchObject([{ metadata: { level: 'admin' } }])
    const { events, interrupts: still } = await stock.resume({ approved: true })
    expect(customs(events, 'beach.notice')).toMatchObject([{ code: 'NOT_YOURS' }])
    expect(still).toMatchObject(interrupts)
    expect(booked).toEqual([])
  })

  const respond = (approvalId: string | undefined, decision: string, more: readonly object[] = []) => {
    const part = { data: { approvalId, decision }, metadata: { partType: 'approval-response' } }
    return { forwardedProps: { beach: { parts: [part, ...more] } } }
  }

  test.each([
    ['granted', 'Booked: ref-BA1.', ['BA1']],
    ['denied', expect.stringMatching(/^Not booked/) as string, []],
  ])('one is %s by an approval-response part', async (decision, said, bookings) => {
    const { actor, booked } = booker()
    const { url } = await startAgent({ actors: { actor } })
    const stock = new StockAgent({ url, client })
    const { interrupts } = await stock.say('book it')
    // A page that has forgotten the interrupt: the stock client lets no run through without an answer to those it knows.
    const page = new StockAgent({ url, client, threadId: stock.threadId, messages: stock.messages })
    const { error, rejected, events } = await page.run({ runId: 'run-2', ...respond(interrupts[0]?.id, decision) })
    expect({ error, rejected, notices: customs(events, 'beach.notice') }).toEqual({ notices: [] })
    expect(page.texts()).toEqual(['I ask first.', said])
    expect(booked).toEqual(bookings)
    // The same run is the same decision; another run comes too late.
    const again = await page.run({ runId: 'run-2', ...respond(interrupts[0]?.id, decision) })
    expect(customs(again.events, 'beach.notice')).toEqual([])
    const late = await page.run(respond(interrupts[0]?.id, decision === 'granted' ? 'denied' : 'granted'))
    expect(customs(late.events, 'beach.notice')).toMatchObject([{ code: 'ALREADY_DECIDED' }])
    expect(booked).toEqual(bookings)
  })

  test('an approval-response part has the checks of the routes for decisions', async () => {
    const { actor, booked } = booker({ level: 'admin' })
    const { url } = await startAgent({ actors: { actor } })
    const stock = new StockAgent({ url, client })
    const { interrupts } = await stock.say('book it')
    const id = interrupts[0]?.id
    const page = () => new StockAgent({ url, client, threadId: stock.threadId, messages: stock.messages })
    const refused = await page().run(respond(id, 'granted'))
    expect(customs(refused.events, 'beach.notice')).toMatchObject([{ code: 'NOT_YOURS', interruptId: id }])
    const stranger = await new StockAgent({ url, client }).run(respond(id, 'granted'))
    expect(customs(stranger.events, 'beach.notice')).toMatchObject([{ code: 'NOT_YOURS' }])
    for (const wrong of [
      respond(id, 'yes'),
      respond(undefined, 'granted'),
      respond(id, 'granted', [{ text: 'and go' }]),
    ]) {
      expect((await page().run(wrong)).rejected?.message).toMatch(/422.*must be alone/)
    }
    expect((await page().run({ forwardedProps: { beach: { parts: 'yes' } } })).rejected?.message).toMatch(/400.*parts/)
    const state = { data: { 'a.b': 'c' }, metadata: { partType: 'setState' } }
    const moved = await page().run({ forwardedProps: { beach: { parts: [state] } } })
    expect(moved.rejected?.message).toMatch(/422.*cannot be sent/)
    expect(booked).toEqual([])
  })

  test('an entry for something that was never asked is left out with a notice', async () => {
    const { url } = await startAgent({ actors: { actor: booker().actor } })
    const stock = new StockAgent({ url, client })
    const resume = [{ interruptId: 'nonsense', status: 'resolved' as const, payload: true }]
    const { events, error } = await stock.say('hello', { resume })
    expect(error).toBeUndefined()
    expect(customs(events, 'beach.notice')).toMatchObject([{ code: 'UNKNOWN_INTERRUPT', interruptId: 'nonsense' }])
    expect(stock.texts()).toEqual(['You said hello'])
  })
})

test('an undecided approval is denied in time, and the next run shows it', async () => {
  const { actor, booked } = booker({ expiresAt: () => Date.now() + 100 })
  const { url } = await startAgent({ actors: { actor } })
  const opened = await fetch(`${url}/sessions`, { method: 'POST' })
  const { sessionId, token } = (await opened.json()) as { sessionId: string; token: string }
  const stock = new StockAgent({ url, token, threadId: sessionId })
  const { interrupts } = await stock.say('book it')
  expect(Date.parse(interrupts[0]?.expiresAt ?? '')).toBeGreaterThan(0)
  for await (const { event, data } of readEvents(`${url}/sessions/${sessionId}/events`, {
    authorization: `Bearer ${token}`,
  })) {
    if (event === 'decision' && (data as { outcome: string }).outcome === 'expired') break
  }
  const { error, events } = await stock.resume(undefined, 'cancelled')
  expect(error).toBeUndefined()
  expect(customs(events, 'beach.notice')).toMatchObject([{ code: 'ALREADY_DECIDED' }])
  expect(stock.texts().at(-1)).toMatch(/^Not booked/)
  expect(booked).toEqual([])
})

describe('actions on surfaces', () => {
  const catalogId = 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json'
  const surface = [
    { version: 'v0.9', createSurface: { surfaceId: 'menu', catalogId, sendDataModel: true } },
    {
      version: 'v0.9',
      updateComponents: {
        surfaceId: 'menu',
        components: [
          {
            id: 'root',
            component: 'Button',
            child: 'label',
            action: { event: { name: 'sort', context: { by: 'price' } } },
          },
          { id: 'label', component: 'Text', text: 'Sort' },
        ],
      },
    },
  ]
  const update = { version: 'v0.9', updateDataModel: { surfaceId: 'menu', path: '/by', value: 'price' } }
  const actor = defineActor(async ({ text, messages, respond, tool }) => {
    const [part] = messages.flatMap(({ parts }) => parts)
    if (part?.metadata.partType === 'a2ui-action') {
      const { action } = part.data as { action: { name: string } }
      models.push(part.metadata.a2uiClientDataModel)
      return respond({
        parts: [
          { partType: 'response', text: `Did ${action.name}.` },
          { partType: 'a2ui-surface', data: update },
        ],
        turnState: 'complete',
      })
    }
    if (text === 'book') {
      const { outcome } = await tool({ name: 'book', args: {}, requiresApproval: true }, async () => 1)
      return respond({ parts: [{ partType: 'response', text: outcome }], turnState: 'complete' })
    }
    return respond({ parts: [{ partType: 'a2ui-surface', data: surface }], turnState: 'complete' })
  })
  const models: unknown[] = []
  const a2uiClientDataModel = { version: 'v0.9', surfaces: { menu: { by: 'name' } } }
  const press = (userAction: object) => ({ forwardedProps: { a2uiAction: { userAction, a2uiClientDataModel } } })

  test('are messages, and what they change is shown in the surface of the earlier turn', async () => {
    const { url } = await startAgent({ actors: { actor } })
    const stock = new StockAgent({ url })
    await stock.say('menu')
    const action = { name: 'sort', surfaceId: 'menu', sourceComponentId: 'root', context: { by: 'price' } }
    const { error, rejected } = await stock.run(press({ ...action, timestamp: new Date().toISOString() }))
    expect({ error, rejected }).toEqual({ error: undefined, rejected: undefined })
    expect(stock.texts()).toEqual(['Did sort.'])
    expect(models).toEqual([a2uiClientDataModel])
    const shown = stock.messages.filter(({ role }) => role === 'activity')
    expect(shown).toHaveLength(1)
    expect(shown[0]?.content).toEqual({ a2ui_operations: [...surface, update] })
  })

  test('on a surface that is gone are refused', async () => {
    const { url } = await startAgent({ actors: { actor } })
    const stock = new StockAgent({ url })
    await stock.say('menu')
    const { rejected } = await stock.run(press({ name: 'sort', surfaceId: 'other', sourceComponentId: 'root' }))
    expect(rejected?.message).toMatch(/409.*STALE_SURFACE/)
    const wrong = await stock.run(press({ surfaceId: 7 }))
    expect(wrong.rejected?.message).toMatch(/422.*INVALID_PART/)
  })

  test('on the surface of an approval decide it', async () => {
    const { url } = await startAgent({ actors: { actor } })
    const stock = new StockAgent({ url })
    const { interrupts } = await stock.say('book')
    const id = interrupts[0]?.id ?? ''
    const shown = stock.messages.find(({ role }) => role === 'activity')
    const content = shown?.content as { a2ui_operations: [{ createSurface: { surfaceId: string } }] } | undefined
    const { surfaceId } = content?.a2ui_operations[0].createSurface ?? {}
    const action = {
      name: 'approval.decide',
      surfaceId,
      sourceComponentId: 'approve',
      context: { approvalId: id, decision: 'granted' },
    }
    // The page has no entry for the interrupt: the button was the answer.
    const page = new StockAgent({ url, threadId: stock.threadId, messages: stock.messages })
    const { error, rejected } = await page.run(press(action))
    expect({ error, rejected }).toEqual({ error: undefined, rejected: undefined })
    expect(page.texts()).toEqual(['ok'])
  })
})
