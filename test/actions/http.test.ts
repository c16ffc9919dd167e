import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineActor, type BeachOptions } from '@cool-ai/beach'
import { silentLogger, StateMachineRegistry, systemRuntime } from '@cool-ai/beach-core'
import { EnvelopeStream } from '@cool-ai/beach-protocol/stream'
import { SqliteStore } from '@cool-ai/beach-session/sqlite'
import { testAgent } from '@cool-ai/beach-testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { actionPart, decides, type Pressed } from '../support/press.ts'
import { readEvents } from '../support/server-events.ts'
import { buys, shop } from './shop.ts'
import { mergeOptions } from '../support/merge-options.ts'

const runtime = systemRuntime({ logger: silentLogger })

async function start(options: Partial<BeachOptions> = {}) {
  const { serve, stop } = await testAgent(
    mergeOptions({ actors: { shop: shop() }, turns: { leaseMs: 1_000 }, runtime }, options),
  )
  onTestFinished(stop)
  return { url: await serve(), close: stop }
}

/** The events of docs/http.md that are about decisions and state. */
const shapes: Readonly<Record<string, z.ZodType>> = {
  decision: z.strictObject({
    turnId: z.string(),
    approvalId: z.string(),
    outcome: z.enum(['granted', 'denied', 'expired', 'void']),
    by: z.enum(['anonymous', 'user', 'peer', 'operator']).optional(),
    via: z.string().optional(),
    at: z.number(),
  }),
  state: z.strictObject({
    seq: z.number(),
    turnId: z.string().optional(),
    coordinates: z.record(z.string(), z.string()),
  }),
}

interface Caller {
  readonly sessionId: string
  readonly token: string
}

async function open(url: string): Promise<Caller> {
  return (await (await fetch(`${url}/sessions`, { method: 'POST' })).json()) as Caller
}

/** One of a caller's tabs: it follows, and posts. */
function tab(url: string, { sessionId, token }: Caller) {
  const stream = new EnvelopeStream()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const post = async (path: string, body: unknown, more: Record<string, string> = {}) => {
    const init = { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) }
    const response = await fetch(`${url}/sessions/${sessionId}/${path}`, init)
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  return {
    stream,
    post,
    press: (pressed: Pressed, more: object = {}, sent: Record<string, string> = {}) => {
      const { data, metadata } = actionPart(pressed)
      return post('messages', { parts: [{ data, metadata: { ...metadata, ...more } }] }, sent)
    },
    async until(condition: (stream: EnvelopeStream) => boolean): Promise<void> {
      const after = stream.lastCursor === undefined ? undefined : { 'last-event-id': stream.lastCursor }
      for await (const { event, id, data } of readEvents(`${url}/sessions/${sessionId}/events`, {
        authorization: headers.authorization,
        ...after,
      })) {
        shapes[event]?.parse(data)
        stream.apply({ kind: event, ...(id !== undefined && { cursor: id }), ...(data as object) } as never)
        if (condition(stream)) return
      }
    },
    async says(text: string): Promise<void> {
      const turns = stream.turns.length
      await post('messages', { text })
      await this.until((seen) => {
        const last = seen.turns.at(-1)
        return seen.turns.length > turns && (last?.settled === true || last?.turnState === 'suspended')
      })
    },
    get lastText() {
      return stream.parts.findLast((part) => part.role === 'agent' && part.partType === 'response')?.text
    },
    get approvalId() {
      const request = stream.parts.findLast((part) => part.partType === 'approval-request')
      return (request?.data as { approvalId?: string } | undefined)?.approvalId ?? ''
    },
  }
}

const error = (code: string, message: string | RegExp) => ({
  error: {
    id: expect.any(String) as string,
    code,
    message: typeof message === 'string' ? message : (expect.stringMatching(message) as string),
  },
})

describe('POST /sessions/:id/messages with an action', () => {
  test('is a message: every viewer sees it, and the agent answers it', async () => {
    const { url } = await start()
    const caller = await open(url)
    const one = tab(url, caller)
    const two = tab(url, caller)
    await one.says('show BA 2043')
    const posted = await one.press(buys())
    expect(posted).toEqual({
      status: 202,
      body: { messageId: expect.any(String) as string, seq: expect.any(Number) as number, duplicate: false },
    })
    await two.until(({ turns }) => turns.filter(({ settled }) => settled).length === 2)
    expect(two.lastText).toBe('You: Pressed “Buy” (flight: "BA 2043", seat: "12A")')
    const shown = two.stream.parts.find((part) => part.partType === 'a2ui-action')
    expect(shown).toMatchObject({
      role: 'user',
      partId: `${String(posted.body.messageId)}.0`,
      metadata: { label: 'Buy' },
    })
  })

  test('is refused with a sentence when it is not what the surface offers', async () => {
    const { url } = await start()
    const one = tab(url, await open(url))
    await one.says('show BA 2043')
    expect(await one.press(buys('ticket', 'BA 1'))).toEqual({
      status: 422,
      body: error('INVALID_PART', 'The context is not the one of this action: flight must be as declared.'),
    })
    expect(await one.press({ ...buys(), name: 'refund' })).toMatchObject({ status: 422 })
    expect(await one.press({ ...buys(), componentId: 'root' })).toMatchObject({ status: 422 })
    expect(await one.press({ ...buys(), timestamp: 'yesterday' })).toEqual({
      status: 422,
      body: error('INVALID_PART', /data\.action\.timestamp/),
    })
    expect(await one.press(buys('other'))).toEqual({
      status: 409,
      body: error('STALE_SURFACE', 'This surface has been replaced or removed. Look at the current one.'),
    })
    const broken = {
      version: 'v0.9',
      error: { code: 'VALIDATION_FAILED', surfaceId: 'ticket', path: '/', message: 'x' },
    }
    const parts = [{ data: broken, metadata: { partType: 'a2ui-action' } }]
    expect(await one.post('messages', { parts })).toEqual({ status: 422, body: error('INVALID_PART', /not taken/) })
  })

  test('is refused once another surface has its place', async () => {
    const { url } = await start()
    const one = tab(url, await open(url))
    await one.says('show BA 2043')
    await one.says('show XQ 7')
    expect(await one.press(buys('ticket', 'BA 2043'))).toMatchObject({ status: 409 })
    expect(await one.press(buys('ticket', 'XQ 7'))).toMatchObject({ status: 202 })
  })

  test('twice is one message, by a double click, a retry and a second tab', async () => {
    const { url } = await start()
    const caller = await open(url)
    const [one, two] = [tab(url, caller), tab(url, caller)]
    await one.says('show BA 2043')
    await one.says('pay')
    const at = { timestamp: '2026-11-15T10:00:00.000Z' }
    const first = await one.press({ ...buys(), ...at })
    const same = { status: 202, body: { ...first.body, duplicate: true } }
    expect(await one.press(buys())).toEqual(same)
    expect(await two.press(buys())).toEqual(same)
    expect(await one.press(buys(), {}, { 'idempotency-key': 'again' })).toEqual(same)
    await one.press(decides(one.approvalId, 'denied'))
    await one.until(({ turns }) => turns.length === 3 && turns.every(({ settled }) => settled))
    // The answer was lost, and the client tries once more, much later.
    expect(await one.press({ ...buys(), ...at })).toEqual(same)
    expect(await one.press(buys())).toMatchObject({ status: 202, body: { duplicate: false } })
  })

  test('brings the data that the surface asked for', async () => {
    const { url } = await start()
    const one = tab(url, await open(url))
    await one.says('show BA 2043')
    const a2uiClientDataModel = { version: 'v0.9', surfaces: { ticket: { seat: '12A' }, other: { secret: true } } }
    await one.press(buys(), { a2uiClientDataModel })
    await one.until(({ parts }) => parts.some((part) => part.partType === 'a2ui-action'))
    const shown = one.stream.parts.find((part) => part.partType === 'a2ui-action')
    expect(shown?.metadata.a2uiClientDataModel).toEqual({ version: 'v0.9', surfaces: { ticket: { seat: '12A' } } })
  })
})

describe('the surface of an approval', () => {
  test('decides it, once, and all tabs are told', async () => {
    const paid: string[] = []
    const { url } = await start({ actors: { shop: shop(paid) } })
    const caller = await open(url)
    const [one, two] = [tab(url, caller), tab(url, caller)]
    await one.says('pay')
    await two.until(({ turns }) => turns.at(-1)?.turnState === 'suspended')
    const { approvalId } = one
    const surface = two.stream.parts.find((part) => part.partType === 'a2ui-surface')
    expect(JSON.stringify(surface?.data)).toContain(`approval-${approvalId}`)
    const decided = { status: 'decided', approvalId, decision: 'granted' }
    expect(await two.press(decides(approvalId, 'granted'))).toEqual({ status: 200, body: decided })
    await one.until(({ turns }) => turns.at(-1)?.settled === true)
    expect(one.lastText).toBe('paid')
    expect(paid).toHaveLength(1)
    expect([...one.stream.approvals]).toEqual([[approvalId, 'granted']])
    expect(one.stream.parts.filter((part) => part.partType === 'a2ui-action')).toEqual([])
    expect(await one.press(decides(approvalId, 'denied'))).toEqual({
      status: 409,
      body: error('ALREADY_DECIDED', 'This approval has already been decided, or its turn is over.'),
    })
  })

  test('decides nothing else, whatever is sent', async () => {
    const { url } = await start()
    const [mine, stranger] = [tab(url, await open(url)), tab(url, await open(url))]
    await mine.says('show BA 2043')
    await mine.says('pay')
    const { approvalId } = mine
    const forged: Pressed = { ...decides(approvalId, 'granted'), surfaceId: 'ticket', componentId: 'buy' }
    expect(await mine.press(forged)).toMatchObject({ status: 422 })
    const other = { ...decides(approvalId, 'granted'), context: { approvalId: 'approval_other', decision: 'granted' } }
    expect(await mine.press(other)).toMatchObject({ status: 422 })
    // Another user's session has no such surface.
    expect(await stranger.press(decides(approvalId, 'granted'))).toMatchObject({ status: 409 })
    const [{ data, metadata }] = [actionPart(decides(approvalId, 'granted'))]
    const alongText = { parts: [{ text: 'and' }, { data, metadata }] }
    expect(await mine.post('messages', alongText)).toEqual({ status: 400, body: error('BAD_REQUEST', /must be alone/) })
    await mine.press(decides(approvalId, 'denied'))
    await mine.until(({ turns }) => turns.at(-1)?.settled === true)
    expect(mine.lastText).toBe('not paid: This was not approved.')
  })

  test('is still there after a restart, and so are other surfaces', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'beach-actions-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const store = () => SqliteStore.open({ path: join(folder, 'log.db'), runtime })
    const before = await start({ data: { store: await store() } })
    const caller = await open(before.url)
    const first = tab(before.url, caller)
    await first.says('show BA 2043')
    await first.says('pay')
    await before.close()
    const after = await start({ data: { store: await store() } })
    const second = tab(after.url, caller)
    expect(await second.press(buys())).toMatchObject({ status: 202, body: { duplicate: false } })
    expect(await second.press(buys())).toMatchObject({ status: 202, body: { duplicate: true } })
    expect(await second.press(decides(first.approvalId, 'granted'))).toMatchObject({ status: 200 })
    await second.until(({ turns }) => turns.length === 3 && turns.every(({ settled }) => settled))
    expect(second.lastText).toBe('You: Pressed “Buy” (flight: "BA 2043", seat: "12A")')
  })
})

test('where coordinates stand comes first, and again whenever they move', async () => {
  const stateMachines = new StateMachineRegistry()
  stateMachines.register({
    components: {
      trip: {
        allowHandlerTransitions: true,
        coordinates: { stage: { initial: 'idea', transitions: { idea: ['booked'], booked: [] } } },
      },
    },
  })
  const mover = defineActor(({ respond }) => {
    const parts = [
      { partType: 'setState', data: { 'trip.stage': 'booked' } },
      { partType: 'response', text: 'ok' },
    ]
    return respond({ parts, turnState: 'complete' })
  })
  const { url } = await start({ stateMachines, actors: { mover } })
  const one = tab(url, await open(url))
  const states: unknown[] = []
  one.stream.on('state', (state) => states.push(state))
  await one.until(({ state }) => state['trip.stage'] === 'idea')
  await one.says('go')
  expect(states).toEqual([{ 'trip.stage': 'idea' }, { 'trip.stage': 'booked' }])
})
