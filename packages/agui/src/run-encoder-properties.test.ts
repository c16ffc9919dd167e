import { HttpAgent } from '@ag-ui/client'
import type { Event, Message } from '@ag-ui/core'
import { EventSchemas } from '@ag-ui/core/schemas'
import { PartTypeRegistry, type Frame } from '@cool-ai/beach-core'
import { partId } from '@cool-ai/beach-core/runtime'
import { EnvelopeStream } from '@cool-ai/beach-protocol'
import { HttpAgent as HttpAgent0 } from 'ag-ui-client-0'
import * as fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { RunEncoder, type Ending } from './run-encoder.ts'
import type { RunInput } from './run-input.ts'

const turnIds = ['turn_a', 'turn_b']
const texts = ['', 'H', 'Hello', 'Hello world', 'Help', 'other']
const turn = fc.constantFrom(...turnIds)
const place = fc.tuple(turn, fc.nat(2), fc.nat(1)).map(([turnId, step, index]) => ({
  turnId,
  id: partId(turnId, step, index),
}))
const textType = fc.constantFrom('response', 'ack', 'clarify', 'thinking')
const text = fc.constantFrom(...texts)
const epoch = fc.integer({ min: 1, max: 3 })

const surface = fc.constantFrom<unknown>(
  [{ version: 'v0.9', createSurface: { surfaceId: 's', catalogId: 'c' } }],
  { version: 'v0.9', updateDataModel: { surfaceId: 's', path: '/a', value: 1 } },
  'no surface',
)
const data = fc.oneof(
  surface.map((value) => ({ data: value, metadata: { partType: 'a2ui-surface' } })),
  fc
    .constantFrom({ label: 'Work' }, { label: 'Work', done: 2, total: 2 }, { label: 'More', done: 1, total: 2 }, {})
    .map((value) => ({ data: value, metadata: { partType: 'progress' } })),
  fc.constantFrom('app.event', 'domain-data', 'citation', 'artifact').map((partType) => {
    return { data: { some: ['thing'] }, metadata: { partType } }
  }),
  text.map((value) => ({ text: value, metadata: { partType: 'error' } })),
)

const callIds = ['turn_a.tool0-0', 'turn_a.tool0-1', 'turn_b.tool0-0']
const call = fc.constantFrom(...callIds).map((callId) => ({ callId, turnId: callId.split('.')[0] ?? '' }))

const frame: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({ call, args: fc.constantFrom<unknown>({ a: 1 }, undefined) }).map(({ call: at, args }): Frame => {
    return { kind: 'call', ...at, name: 'look', at: 1, ...(args !== undefined && { args }) }
  }),
  fc
    .record({ call, value: fc.constantFrom<unknown>('found', { b: 2 }, undefined) })
    .map(({ call: at, value }): Frame => {
      return { kind: 'result', ...at, outcome: 'ok', at: 1, ...(value !== undefined && { value }) }
    }),
  fc
    .record({ place, epoch, partType: textType, offset: fc.nat(6), text })
    .map(({ place: { turnId, id }, ...rest }): Frame => ({ kind: 'delta', turnId, partId: id, ...rest })),
  // A text that grows as it should is far more likely than one that does not.
  fc
    .record({ place, epoch, whole: text, cut: fc.nat(11) })
    .map(({ place: { turnId, id }, whole, cut, ...rest }): Frame => {
      return { kind: 'delta', turnId, partId: id, partType: 'response', offset: 0, text: whole.slice(0, cut), ...rest }
    }),
  fc.record({ place, partType: textType, text }).map(({ place: { turnId, id }, partType, ...rest }): Frame => {
    const part = { ...rest, metadata: { partType } }
    return { kind: 'part', role: 'agent', turnId, partId: id, part, at: 1 }
  }),
  fc.record({ place, part: data }).map(({ place: { turnId, id }, part }): Frame => {
    return { kind: 'part', role: 'agent', turnId, partId: `${id}1`, part, at: 1 }
  }),
  fc
    .record({ turnId: turn, epoch, ids: fc.option(fc.array(place, { maxLength: 2 }), { nil: undefined }) })
    .map(({ ids, ...rest }): Frame => ({ kind: 'retract', ...rest, ...(ids && { partIds: ids.map(({ id }) => id) }) })),
  fc.record({ turnId: turn, epoch, step: fc.option(fc.nat(2), { nil: undefined }) }).map(({ step, ...rest }): Frame => {
    return { kind: 'turn', turnState: 'awaiting', ...rest, ...(step !== undefined && { step }) }
  }),
  turn.map((turnId): Frame => ({ kind: 'settled', turnId, turnState: 'complete', finalizedBy: 'complete', at: 1 })),
  fc.constantFrom({}, { 'a.b': 'one' }, { 'a.b': 'two', 'c/d': 'x' }).map((coordinates): Frame => {
    return { kind: 'state', seq: 1, coordinates }
  }),
  fc.record({ turnId: turn, text }).map(({ text: said }): Frame => {
    return {
      kind: 'part',
      role: 'user',
      partId: 'msg_x.0',
      part: { text: said, metadata: { partType: 'message' } },
      at: 1,
    }
  }),
)

/** What the client may have from a connection that broke: some of a text, all of it, or what was said at first. */
const held = fc.uniqueArray(fc.record({ place, content: text }), { maxLength: 3, selector: ({ place: { id } }) => id })
const heldCalls = fc.uniqueArray(fc.record({ call, isAnswered: fc.boolean() }), {
  maxLength: 2,
  selector: ({ call: { callId } }) => callId,
})

function callMessages({ call: { callId }, isAnswered }: { call: { callId: string }; isAnswered: boolean }): Message[] {
  const made = { id: callId, type: 'function' as const, function: { name: 'look', arguments: '{"held":1}' } }
  const message: Message = { id: callId, role: 'assistant', toolCalls: [made] }
  return isAnswered ? [message, { id: `own-${callId}`, role: 'tool', toolCallId: callId, content: 'mine' }] : [message]
}

const ending = fc.constantFrom<Ending>(
  { type: 'success' },
  { type: 'success', pendingToolCallIds: ['turn_a.tool0-0'] },
  { type: 'cancelled' },
  { type: 'interrupt', interrupts: [{ id: 'i', reason: 'confirmation' }] },
)

function inputWith(messages: Message[]): RunInput {
  return { threadId: 't', runId: 'r', protocolVersion: '1.0', messages, sent: messages, tools: [], context: [] }
}

async function readBy(Agent: typeof HttpAgent, messages: Message[], events: readonly Event[]): Promise<HttpAgent> {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const agent = new Agent({
    url: 'http://127.0.0.1/agui',
    threadId: 't',
    initialMessages: messages,
    fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
  })
  await agent.runAgent({ runId: 'r' })
  return agent
}

test.each([
  ['1.0.0', HttpAgent],
  ['0.0.59', HttpAgent0 as unknown as typeof HttpAgent],
])(
  'whatever the frames are, the stock client %s can read them, and has in the end what the log has',
  async (version, Agent) => {
    // The client complains about patches that do not apply and about messages that it does not know.
    const warned = vi.spyOn(console, 'warn')
    await fc.assert(
      fc.asyncProperty(
        fc.array(frame, { maxLength: 40 }),
        held,
        heldCalls,
        ending,
        async (frames, copies, made, end) => {
          fc.pre(version === '1.0.0' || end.type !== 'cancelled')
          const texted = copies.map(({ place: { id }, content }): Message => ({ id, role: 'assistant', content }))
          const messages = [...texted, ...made.flatMap(callMessages)]
          const { protocolVersion: _, ...older } = inputWith(messages)
          const input = version === '1.0.0' ? inputWith(messages) : older
          const encoder = new RunEncoder(input, PartTypeRegistry.canonical())
          const stream = new EnvelopeStream()
          const settled = turnIds.map((turnId): Frame => {
            return { kind: 'settled', turnId, turnState: 'complete', finalizedBy: 'complete', at: 2 }
          })
          const all = [...frames, ...settled]
          const events = [encoder.start(), ...all.flatMap((one) => encoder.apply(one)), ...encoder.finish(end)]
          for (const one of all) stream.apply(one)
          for (const event of events) EventSchemas.parse(event)
          warned.mockClear()
          const agent = await readBy(Agent, structuredClone(messages), events)
          expect(warned.mock.calls).toEqual([])
          const said = stream.parts.filter(({ role, partType }) => role === 'agent' && textTypes.has(partType))
          for (const { partId: id, text: whole, partType } of said) {
            const messageId = partType === 'thinking' ? `${id}~thinking` : id
            const found = agent.messages.find((message) => message.id === messageId)
            expect(found?.content ?? '').toBe(whole)
          }
          const committed = new Set(said.map(({ partId: id }) => id))
          const known = new Set(copies.map(({ place: { id } }) => id))
          for (const { id, role } of agent.messages) {
            if (role === 'assistant' && !known.has(id) && !callIds.includes(id)) expect(committed).toContain(id)
          }
          // Each call is there once and whole, and has come to its end once.
          const calls = agent.messages.flatMap((message) =>
            message.role === 'assistant' ? (message.toolCalls ?? []) : [],
          )
          const called = new Set(all.flatMap((one) => (one.kind === 'call' ? [one.callId] : [])))
          for (const {
            call: { callId },
          } of made)
            called.add(callId)
          expect(calls.map(({ id }) => id).toSorted()).toEqual([...called].toSorted())
          for (const { function: given } of calls) expect(JSON.parse(given.arguments)).toBeTypeOf('object')
          const ended = agent.messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []))
          expect(ended.toSorted()).toEqual([...called].toSorted())
        },
      ),
      { numRuns: 150 },
    )
    warned.mockRestore()
  },
)

const textTypes = new Set(['response', 'ack', 'clarify', 'thinking'])
