import { respondTool, respondToolSnippet, defineTool, type AnyTool, type LlmActorConfig } from '@cool-ai/beach-llm'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Conversation } from './conversation.ts'
import { fragments, ProviderServer, streamed, type Answer } from './provider-server.ts'
import type { Block, Wire } from './wire.ts'

/** A call of `respond()` with one part. */
export function respond(id: string, turnState: string, partType: string, text: string): Block {
  return { id, tool: 'respond', input: { turnState, parts: [{ metadata: { partType }, text }] } }
}

export const searchFlights: AnyTool = defineTool({
  name: 'search_flights',
  description: 'Finds flights.',
  inputSchema: z.object({ to: z.string() }),
  handler: ({ to }) => ({ flights: [`to ${to}`] }),
})

/** A conversation with a model of this wire, on a server that gives these answers. */
export async function talkTo(
  wire: Wire,
  answers: readonly Answer[],
  config: Partial<LlmActorConfig> = {},
  apiKey = 'a-key',
) {
  const server = await ProviderServer.start(...answers)
  const model = await wire.model({ baseURL: server.url, apiKey })
  const talk = new Conversation(model, config)
  return {
    server,
    talk,
    asked: (index: number) => wire.asked(server.requests[index]?.body ?? { messages: [] }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** A long answer's events up to the middle of its text, and the rest. */
export function cutInText(events: readonly string[]): [string[], string[]] {
  const middle = Math.floor(events.length * 0.75)
  return [events.slice(0, middle), events.slice(middle)]
}

/** The events of an answer that has come just as far as this text, all of it in the last event. */
function upTo(wire: Wire, text: string): string[] {
  const input = `{"turnState":"complete","parts":[{"metadata":{"partType":"response"},"text":"${text}`
  const events = wire.message([{ id: 'call_1', tool: 'respond', input }], { pieceLength: input.length })
  return events.slice(0, events.findLastIndex((event) => event.includes(text)) + 1)
}

const never = new Promise(() => {})
const long = 'There are three flights to Corfu on Friday, and the one at ten is the cheapest of them 🛫.'

/** What every provider's turns are like. */
export function turnsOf(wire: Wire): void {
  const message = (...blocks: Block[]) => streamed(...wire.message(blocks))

  describe('a turn', () => {
    test('acknowledges, calls a tool and answers with what it found', async () => {
      await using context = await talkTo(
        wire,
        [
          message(respond('call_1', 'awaiting', 'ack', 'Looking.'), {
            id: 'call_2',
            tool: 'search_flights',
            input: { to: 'Corfu' },
          }),
          message(respond('call_3', 'complete', 'response', 'Found one.')),
        ],
        { tools: [searchFlights] },
      )
      const turn = await context.talk.say()
      expect(await turn.settled()).toMatchObject({ turnState: 'complete' })
      expect(turn.texts()).toEqual(['ack: Looking.', 'response: Found one.'])
      expect(context.asked(0).user).toEqual(['Flights to Corfu, please.'])
      expect(context.asked(1).calls.map(({ id, name }) => [id, name])).toEqual([
        ['call_1', 'respond'],
        ['call_2', 'search_flights'],
      ])
      expect(context.asked(1).results).toEqual({
        call_1: 'Delivered.',
        call_2: '<data origin="tool:search_flights">\n{"flights":["to Corfu"]}\n</data>',
      })
      expect(context.server.requests).toHaveLength(2)
    })

    test('asks with the rules of respond() and its tool as it was made', async () => {
      await using context = await talkTo(wire, [message(respond('call_1', 'complete', 'response', 'Hello.'))], {
        tools: [searchFlights],
        passTo: ['drafter'],
      })
      await (await context.talk.say()).settled()
      const { system, tools, forced } = context.asked(0)
      expect(system).toContain('You are Sally.')
      expect(system).toContain(respondToolSnippet)
      expect(tools.map(({ name }) => name)).toEqual(['respond', 'search_flights'])
      const { partTypes, turnStates } = context.talk
      const { inputSchema } = respondTool({
        partTypes,
        turnStates,
        actors: ['drafter'],
        approvable: ['search_flights'],
      })
      // As texts, since the order of the properties matters.
      expect(JSON.stringify(tools[0]?.schema)).toBe(JSON.stringify(inputSchema))
      const schema = tools[0]?.schema as {
        properties: { parts: { items: { properties: object } } }
      }
      expect(Object.keys(schema.properties).slice(0, 3)).toEqual(['parts', 'turnState', 'passTo'])
      expect(Object.keys(schema.properties.parts.items.properties)).toEqual(['metadata', 'text', 'data'])
      expect(forced).toBe(false)
    })

    test('asks for a forced tool call where the actor wants it', async () => {
      await using context = await talkTo(wire, [message(respond('call_1', 'complete', 'response', 'Hello.'))], {
        forceToolUse: true,
      })
      await (await context.talk.say()).settled()
      expect(context.asked(0).forced).toBe(true)
    })

    test('shows text while the call is still arriving', async () => {
      const [first, second] = cutInText(wire.message([respond('call_1', 'complete', 'response', long)]))
      const seen = Promise.withResolvers<void>()
      await using context = await talkTo(wire, [streamed(...first, seen.promise, ...second)])
      const turn = await context.talk.say()
      await turn.shows('response: There are')
      expect(turn.texts()).not.toContain(`response: ${long}`)
      seen.resolve()
      await turn.settled()
      expect(turn.texts()).toEqual([`response: ${long}`])
      const deltas = turn.frames.flatMap((frame) => (frame.kind === 'delta' ? [frame.text] : []))
      expect(deltas.join('')).toBe(long)
      expect(turn.frames.some(({ kind }) => kind === 'retract')).toBe(false)
    })

    test('shows several respond() calls of one message each in its own place', async () => {
      const events = wire.message([
        respond('call_1', 'awaiting', 'response', 'First, the flights.'),
        respond('call_2', 'complete', 'response', 'Then, the hotels.'),
      ])
      const seen = Promise.withResolvers<void>()
      const rest = events.splice(-wire.ending)
      await using context = await talkTo(wire, [streamed(...events, seen.promise, ...rest)])
      const turn = await context.talk.say()
      await turn.shows('Then, the hotels.')
      expect(turn.texts()).toEqual(['response: First, the flights.', 'response: Then, the hotels.'])
      seen.resolve()
      await turn.settled()
      expect(turn.texts()).toEqual(['response: First, the flights.', 'response: Then, the hotels.'])
      expect(turn.frames.some(({ kind }) => kind === 'retract')).toBe(false)
    })

    test('runs the tool calls of one message in parallel', async () => {
      const both = { one: Promise.withResolvers<void>(), two: Promise.withResolvers<void>() }
      const meeting = (name: 'one' | 'two'): AnyTool =>
        defineTool({
          name,
          description: name,
          inputSchema: z.object({}),
          // Neither can end before the other has begun.
          handler: async () => {
            both[name].resolve()
            await Promise.all([both.one.promise, both.two.promise])
            return `${name} is done`
          },
        })
      await using context = await talkTo(
        wire,
        [
          message({ id: 'call_1', tool: 'one', input: {} }, { id: 'call_2', tool: 'two', input: {} }),
          message(respond('call_3', 'complete', 'response', 'Both are done.')),
        ],
        { tools: [meeting('one'), meeting('two')] },
      )
      const turn = await context.talk.say()
      await turn.settled()
      expect(turn.texts()).toEqual(['response: Both are done.'])
      expect(context.asked(1).results).toEqual({
        call_1: '<data origin="tool:one">\none is done\n</data>',
        call_2: '<data origin="tool:two">\ntwo is done\n</data>',
      })
    })

    test('remembers the turn before as a call and its result', async () => {
      await using context = await talkTo(wire, [
        message(respond('call_1', 'complete', 'response', 'Hello.')),
        message(respond('call_1', 'complete', 'response', 'Hello again.')),
      ])
      await (await context.talk.say('One.')).settled()
      await (await context.talk.say('Two.')).settled()
      const { user, calls, results } = context.asked(1)
      expect(user).toEqual(['One.', 'Two.'])
      expect(calls).toMatchObject([{ name: 'respond', input: { turnState: 'complete', parts: [{ text: 'Hello.' }] } }])
      expect(results).toEqual({ [calls[0]?.id ?? '']: 'Delivered.' })
      // What providers accept as the id of a call.
      expect(calls[0]?.id).toMatch(/^[\w-]{1,40}$/)
    })

    test('costs what the provider counted', async () => {
      const usage = { input: 1_000, cached: 400, output: 50 }
      await using context = await talkTo(
        wire,
        [streamed(...wire.message([respond('call_1', 'complete', 'response', 'Hello.')], { usage }))],
        { prices: { input: 3, cachedInput: 0.3, output: 15 } },
      )
      await (await context.talk.say()).settled()
      const [noted] = (await context.talk.notes('usage')) as { cost: number }[]
      expect(noted).toMatchObject({ inputTokens: 1_400, cachedInputTokens: 400, outputTokens: 50 })
      expect(noted?.cost).toBeCloseTo((1_000 * 3 + 400 * 0.3 + 50 * 15) / 1_000_000, 10)
    })

    test('keeps reasoning for the record and gives it back to the model, not to the listener', async () => {
      await using context = await talkTo(
        wire,
        [
          message(
            { reasoning: 'They want flights, so I search.', signature: 'c2lnbmVk' },
            { id: 'call_1', tool: 'search_flights', input: { to: 'Corfu' } },
          ),
          message(respond('call_2', 'complete', 'response', 'Found one.')),
        ],
        { tools: [searchFlights] },
      )
      const turn = await context.talk.say()
      await turn.settled()
      expect(JSON.stringify(turn.frames)).not.toContain('They want flights')
      const parts = (await context.talk.events()).flatMap((event) =>
        event.type === 'partReceived' && event.partType === 'reasoning-trace' ? [event.payload?.part.text] : [],
      )
      expect(parts).toEqual(['They want flights, so I search.'])
      expect(context.asked(1).reasoning).toMatchObject([{ text: 'They want flights, so I search.' }])
    })

    test('keeps no reasoning at all where the actor says so, and still gives it back to the model', async () => {
      await using context = await talkTo(
        wire,
        [
          message(
            { reasoning: 'They want flights, so I search.', signature: 'c2lnbmVk' },
            { id: 'call_1', tool: 'search_flights', input: { to: 'Corfu' } },
          ),
          message({ reasoning: 'They want flights.' }, respond('call_2', 'complete', 'response', 'Found one.')),
        ],
        { tools: [searchFlights], reasoning: 'off' },
      )
      await (await context.talk.say()).settled()
      expect(JSON.stringify(await context.talk.events())).not.toContain('They want flights')
      expect(context.asked(1).reasoning).toMatchObject([{ text: 'They want flights, so I search.' }])
    })

    test.each([1, 7, 64])('reads the same from fragments of %i bytes', async (length) => {
      const events = wire.message([respond('call_1', 'complete', 'response', long)], { pieceLength: 1 })
      await using context = await talkTo(wire, [streamed(...fragments(events, length))])
      const turn = await context.talk.say()
      await turn.settled()
      expect(turn.texts()).toEqual([`response: ${long}`])
    })
  })

  describe('cancelling', () => {
    test('ends the request, and what was shown stays', async () => {
      await using context = await talkTo(wire, [streamed(...upTo(wire, 'There are three flights'), never)])
      const turn = await context.talk.say()
      await turn.shows('There are three flights')
      await context.talk.cancel()
      const request = await context.server.request(0)
      expect(await request.ended).toBe('cut')
      expect(await turn.settled()).toMatchObject({ finalizedBy: 'cancelled' })
      expect(turn.texts()).toEqual(['response: There are three flights'])
    })

    test('ends a request that has no answer yet', async () => {
      await using context = await talkTo(wire, [streamed(never)])
      const turn = await context.talk.say()
      const request = await context.server.request(0)
      await context.talk.cancel()
      expect(await request.ended).toBe('cut')
      expect(await turn.settled()).toMatchObject({ finalizedBy: 'cancelled' })
    })

    test('ends a wait for the next attempt', async () => {
      await using context = await talkTo(wire, [{ status: 429, headers: { 'retry-after': '20' }, pieces: ['{}'] }])
      const turn = await context.talk.say()
      await context.talk.clock.wait(0, { from: 20_000, to: 20_000 })
      await context.talk.cancel()
      expect(await turn.settled()).toMatchObject({ finalizedBy: 'cancelled' })
      expect(context.server.requests).toHaveLength(1)
    })
  })

  describe('time that runs out', () => {
    test('ends the request and the turn', async () => {
      const first = upTo(wire, 'There are three flights')
      await using context = await talkTo(wire, [streamed(...first, never)], { budget: { timeMs: 60_000 } })
      const turn = await context.talk.say()
      await turn.shows('There are three flights')
      await context.talk.clock.advance(60_000)
      expect(await turn.settled()).toMatchObject({ turnState: 'error', finalizedBy: 'timeout' })
      expect(await (await context.server.request(0)).ended).toBe('cut')
      expect(turn.texts()).toEqual([expect.stringMatching(/^error: This took longer than the 60 seconds/)])
    })
  })

  describe('text outside of respond()', () => {
    test.each([
      ['strict', 'error', 'error: I could not put my answer into a valid form.'],
      ['wrap', 'wrapped', 'response: Hi again!'],
    ] as const)('is sent back once; the second time it is, in mode %s: %s', async (freeText, handled, reply) => {
      await using context = await talkTo(wire, [message({ text: 'Hi!' }), message({ text: 'Hi again!' })], { freeText })
      const turn = await context.talk.say('Hello.')
      await turn.settled()
      expect(turn.texts()).toEqual([reply])
      expect(context.asked(1).user).toEqual(['Hello.', expect.stringContaining('respond()')])
      expect(JSON.stringify(context.server.requests[1]?.body)).toContain('Hi!')
      expect(await context.talk.notes('free-text')).toEqual([
        { text: 'Hi!', handled: 'sent back' },
        { text: 'Hi again!', handled },
      ])
    })
  })

  describe('a respond() that is wrong', () => {
    test.each([
      [
        'cut off at the length limit',
        '{"turnState":"complete","parts":[{"metadata":{"partType":"response"},"text":"Half',
      ],
      ['no object', '["Hello"]'],
      ['of an unknown part type', { turnState: 'complete', parts: [{ metadata: { partType: 'x' }, text: 'Half' }] }],
    ])('is taken back and corrected: %s', async (_, input) => {
      await using context = await talkTo(wire, [
        message({ id: 'call_1', tool: 'respond', input }),
        message(respond('call_2', 'complete', 'response', 'Better.')),
      ])
      const turn = await context.talk.say()
      await turn.settled()
      expect(turn.texts()).toEqual(['response: Better.'])
      const { calls, results } = context.asked(1)
      // Providers take nothing but objects as a call's input.
      expect(calls).toEqual([{ id: 'call_1', name: 'respond', input: typeof input === 'string' ? {} : input }])
      expect(results.call_1).not.toBe('Delivered.')
    })
  })
}
