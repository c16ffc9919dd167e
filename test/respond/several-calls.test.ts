import { llmActor } from '@cool-ai/beach-llm'
import { describe, expect, test } from 'vitest'
import { Gate } from '../stop/gate.ts'
import { Conversation } from '../support/conversation.ts'
import { byAgui, reachable, streaming, type Listen } from '../support/listeners.ts'
import { startServer } from '../support/server-process.ts'
import { messageModel, respond } from './message-model.ts'

// Document 004, "Multi-call pattern": each respond() call is an atomic state update, also when a model makes several in one
// message. The calls are those of the document.

const calls = [
  { parts: [{ text: 'Looking up flights.', metadata: { partType: 'ack' } }], turnState: 'awaiting' },
  { parts: [{ text: 'Filtering for direct options.', metadata: { partType: 'thinking' } }], turnState: 'awaiting' },
  {
    parts: [
      { text: 'Two direct options. EasyJet £94pp at 06:15; BA £187pp at 08:45.', metadata: { partType: 'response' } },
    ],
    turnState: 'complete',
  },
]

const states = ['"turnState":"awaiting"', '"turnState":"complete"']

describe('several calls in one message of a model', () => {
  test.for<[string, Listen, ...string[]]>([
    ...Object.entries(streaming).map(([name, listen]) => [name, listen, ...states] as [string, Listen, ...string[]]),
    // A run of AG-UI has no other state than that it has begun, or ended.
    ['AG-UI', byAgui, 'RUN_STARTED', 'RUN_FINISHED'],
  ])(
    'reach a listener by %s one by one, each under its own state, before the message goes on',
    async ([, listen, awaiting = '', complete = ''], context) => {
      const gates = calls.map(() => Promise.withResolvers<void>())
      const model = messageModel(async function* () {
        for (const [index, call] of calls.entries()) {
          yield respond(call)
          await gates[index]?.promise
        }
      })
      const actors = { sally: llmActor({ model, instructions: 'You find flights.' }) }
      const received = await listen(await reachable(context, { actors }), 'Flights?')
      for (const [index, { parts }] of calls.slice(0, 2).entries()) {
        await received.until(parts[0]?.text ?? '')
        expect(received.has(calls[index + 1]?.parts[0]?.text ?? '')).toBe(false)
        expect([received.has(awaiting), received.has(complete)]).toEqual([true, false])
        gates[index]?.resolve()
      }
      await received.until('Two direct options.')
      gates[2]?.resolve()
      await received.over()
      expect(received.has(complete)).toBe(true)
    },
  )

  test.for(['sse', 'websocket'] as const)(
    'are taken up after the last one that was committed, when the process is killed in between (%s)',
    async (via, context) => {
      const gate = await Gate.open(context)
      const variables = { GATE: gate.url }
      const server = await startServer(context, { program: 'test/respond/several-calls-program.ts', variables })
      const talk = await Conversation.open(server.url, via)
      await talk.say('Flights?')
      await talk.until(({ parts }) => parts.some(({ partType }) => partType === 'thinking'))
      await gate.asked('answer')
      const before = talk.stream.parts.map(({ partId }) => partId)
      await server.kill9()
      await server.start()
      await gate.open('answer', '')
      await talk.settled(1)
      expect(talk.stream.parts.map(({ partType, text, turnState }) => [partType, text, turnState])).toEqual([
        ['message', 'Flights?', undefined],
        ['ack', 'Looking up flights.', 'awaiting'],
        ['thinking', 'Filtering for direct options.', 'awaiting'],
        ['response', 'Two direct options, after 2 calls.', 'complete'],
      ])
      // What was seen before is what stands there now, and not the same said again.
      expect(talk.stream.parts.slice(0, -1).map(({ partId }) => partId)).toEqual(before)
    },
  )
})
