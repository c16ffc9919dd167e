import { describe, expect, test } from 'vitest'
import { dropped, refused, streamed, type Piece } from './provider-server.ts'
import { cutInText, respond, talkTo } from './provider-turns.ts'
import type { Wire } from './wire.ts'

const long = 'There are three flights to Corfu on Friday, and the one at ten is the cheapest of them.'
const canary = 'sk-canary-5up3rs3cr3t'

/** What becomes of turns when a provider fails. */
export function faultsOf(wire: Wire): void {
  const answer = () => wire.message([respond('call_1', 'complete', 'response', long)])
  const good = () => streamed(...answer())
  const tooMany = (retryAfter: string) =>
    refused(429, wire.error('rate_limit_error', 'Slow down.'), { 'retry-after': retryAfter })
  const overload = () => refused(wire.overloaded, wire.error('overloaded_error', 'Overloaded'))

  describe('a provider that refuses', () => {
    test('is asked again when it says so, at the time that it says', async () => {
      await using context = await talkTo(wire, [tooMany('7'), good()])
      const turn = await context.talk.say()
      await context.talk.clock.wait(0, { from: 7_000, to: 7_000 })
      await context.talk.clock.advance(6_999)
      expect(context.server.requests).toHaveLength(1)
      await context.talk.clock.advance(1)
      expect(await turn.settled()).toMatchObject({ turnState: 'complete' })
      expect(turn.texts()).toEqual([`response: ${long}`])
      expect(context.server.requests).toHaveLength(2)
      expect(await context.talk.notes('model-error')).toMatchObject([{ attempt: 1, status: 429 }])
    })

    test('is asked again at once when it says so', async () => {
      await using context = await talkTo(wire, [tooMany('0'), tooMany('0'), good()])
      const turn = await context.talk.say()
      for (const place of [0, 1]) {
        await context.talk.clock.wait(place, { from: 0, to: 0 })
        await context.talk.clock.advance(0)
      }
      await turn.settled()
      expect(turn.texts()).toEqual([`response: ${long}`])
    })

    test('is not asked again when it wants more patience than there is', async () => {
      await using context = await talkTo(wire, [tooMany('3600')])
      const turn = await context.talk.say()
      expect(await turn.settled()).toMatchObject({ turnState: 'error' })
      expect(context.server.requests).toHaveLength(1)
    })

    test('is not waited for beyond the time that the turn has', async () => {
      await using context = await talkTo(wire, [tooMany('20')], { budget: { timeMs: 10_000 } })
      const turn = await context.talk.say()
      expect(await turn.settled()).toMatchObject({ turnState: 'error' })
      expect(context.talk.clock.now()).toBe(Date.UTC(2026, 0, 1))
    })

    test('because it is overloaded is asked four times, with growing and uneven pauses', async () => {
      await using context = await talkTo(wire, [overload(), overload(), overload(), overload(), good()])
      const turn = await context.talk.say()
      const pauses: number[] = []
      for (const place of [0, 1, 2]) {
        const pause = await context.talk.clock.wait(place, { from: 250, to: 2_000 })
        pauses.push(pause)
        await context.talk.clock.advance(pause)
      }
      expect(await turn.settled()).toMatchObject({ turnState: 'error', finalizedBy: 'error' })
      expect(turn.texts()).toEqual(['error: The model cannot be reached right now. Please try again later.'])
      expect(context.server.requests).toHaveLength(4)
      for (const [index, pause] of pauses.entries()) {
        const longest = 500 * 2 ** index
        expect(pause).toBeGreaterThanOrEqual(longest / 2)
        expect(pause).toBeLessThan(longest)
      }
      expect(new Set(pauses.map((pause, index) => pause / 2 ** index)).size).toBe(3)
    })

    test.each([
      [400, 'invalid_request_error', /^error: The model did not accept this request/],
      [401, 'authentication_error', /^error: The model’s provider did not accept the agent’s key\./],
    ] as const)('for good, with %i, is not asked again, and its secrets do not show', async (status, type, said) => {
      const body = wire.error(type, `Incorrect API key provided: ${canary}. See https://provider.example/keys.`)
      const headers = { 'x-echo': canary, 'request-id': 'req_011CSHoEeqs5C35K2UUqR7Fy' }
      await using context = await talkTo(wire, [refused(status, body, headers)], {}, canary)
      const turn = await context.talk.say()
      expect(await turn.settled()).toMatchObject({ turnState: 'error', finalizedBy: 'error' })
      expect(turn.texts()).toEqual([expect.stringMatching(said)])
      // Pages offer no second attempt.
      expect(JSON.stringify(await context.talk.events())).toContain('"retryable":false')
      expect(context.server.requests).toHaveLength(1)
      expect(JSON.stringify(context.server.requests[0]?.headers)).toContain(canary)
      const everything = [
        ...context.talk.logLines,
        JSON.stringify(await context.talk.events()),
        JSON.stringify(turn.frames),
      ]
      for (const text of everything) {
        expect(text).not.toContain(canary)
        expect(text).not.toContain('Incorrect API key')
        expect(text).not.toContain('provider.example')
        expect(text).not.toContain(context.server.host)
      }
      // What an operator needs is there.
      const line = context.talk.logLines.find((text) => text.includes('a model call failed')) ?? '{}'
      expect(JSON.parse(line)).toMatchObject({
        level: 'error',
        status,
        type,
        requestId: 'req_011CSHoEeqs5C35K2UUqR7Fy',
      })
      expect(await context.talk.notes('model-error')).toMatchObject([{ attempt: 1, status, type }])
    })

    test('the connection is asked again, and does not tell where it is', async () => {
      await using context = await talkTo(wire, [], { retry: { attempts: 2 } })
      const { host } = context.server
      await context.server[Symbol.asyncDispose]()
      const turn = await context.talk.say()
      const pause = await context.talk.clock.wait(0, { from: 250, to: 500 })
      await context.talk.clock.advance(pause)
      expect(await turn.settled()).toMatchObject({ turnState: 'error' })
      expect(await context.talk.notes('model-error')).toMatchObject([
        { attempt: 1, code: 'ECONNREFUSED' },
        { attempt: 2, code: 'ECONNREFUSED' },
      ])
      const everything = [
        ...context.talk.logLines,
        JSON.stringify(await context.talk.events()),
        JSON.stringify(turn.frames),
      ]
      for (const text of everything) expect(text).not.toContain(host)
    })
  })

  describe('a stream that breaks after text has flowed', () => {
    const broken: Record<string, readonly Piece[]> = {
      'by a dropped connection': [dropped],
      'by an overload': [wire.errorEvent('overloaded_error', 'Overloaded')],
      'by an event that is no JSON': ['data: {"type":"content_block_de\n\n'],
      'by an event of another shape': ['data: {"type":5,"choices":"none"}\n\n'],
      'by an end without an end': [],
    }

    test.each(Object.entries(broken))('%s is taken back and begun anew', async (_, fault) => {
      const [first] = cutInText(answer())
      const seen = Promise.withResolvers<void>()
      await using context = await talkTo(wire, [streamed(...first, seen.promise, ...fault), good()])
      const turn = await context.talk.say()
      await turn.shows('response: There are')
      seen.resolve()
      const pause = await context.talk.clock.wait(0, { from: 250, to: 500 })
      await turn.until(({ kind }) => kind === 'retract')
      expect(turn.texts()).toEqual([])
      await context.talk.clock.advance(pause)
      expect(await turn.settled()).toMatchObject({ turnState: 'complete' })
      expect(turn.texts()).toEqual([`response: ${long}`])
      const events = await context.talk.events()
      expect(events.filter(({ type }) => type === 'partReceived')).toHaveLength(1)
      expect(context.server.requests).toHaveLength(2)
      expect(await context.talk.notes('model-error')).toHaveLength(1)
    })

    test('by silence is taken back and begun anew', async () => {
      const [first] = cutInText(answer())
      const silence = new Promise(() => {})
      await using context = await talkTo(wire, [streamed(...first, silence), good()])
      const turn = await context.talk.say()
      await turn.shows('response: There are')
      await context.talk.clock.advance(60_000)
      const pause = await context.talk.clock.wait(0, { from: 250, to: 500 })
      expect(turn.texts()).toEqual([])
      expect(await context.server.requests[0]?.ended).toBe('cut')
      await context.talk.clock.advance(pause)
      expect(await turn.settled()).toMatchObject({ turnState: 'complete' })
      expect(turn.texts()).toEqual([`response: ${long}`])
      expect(await context.talk.notes('model-error')).toMatchObject([
        { attempt: 1, reason: 'The stream was silent for 60 s.' },
      ])
    })

    test('again and again leaves no half part', async () => {
      const [first] = cutInText(answer())
      const cut = streamed(...first, dropped)
      await using context = await talkTo(wire, [cut, cut], { retry: { attempts: 2 } })
      const turn = await context.talk.say()
      await context.talk.clock.advance(await context.talk.clock.wait(0, { from: 250, to: 500 }))
      expect(await turn.settled()).toMatchObject({ turnState: 'error' })
      expect(turn.texts()).toEqual([expect.stringMatching(/^error: /)])
      const stored = (await context.talk.events()).filter(({ type }) => type === 'partReceived')
      expect(stored).toMatchObject([{ partType: 'error' }])
    })

    test('after one of its calls was complete goes on after that call', async () => {
      const rest = respond('call_2', 'complete', 'response', long)
      const both = wire.message([respond('call_1', 'awaiting', 'ack', 'Looking.'), rest])
      const cut = streamed(...both.slice(0, -wire.ending - 5), dropped)
      await using context = await talkTo(wire, [cut, streamed(...wire.message([rest]))])
      const turn = await context.talk.say()
      await context.talk.clock.advance(await context.talk.clock.wait(0, { from: 250, to: 500 }))
      await turn.settled()
      expect(turn.texts()).toEqual(['ack: Looking.', `response: ${long}`])
      expect(JSON.stringify(context.server.requests[1]?.body)).toContain('Delivered.')
    })

    test('after all of its calls were complete is still not complete', async () => {
      await using context = await talkTo(wire, [streamed(...answer().slice(0, -wire.ending)), good()])
      const turn = await context.talk.say()
      await context.talk.clock.advance(await context.talk.clock.wait(0, { from: 250, to: 500 }))
      await turn.settled()
      expect(turn.texts()).toEqual([`response: ${long}`])
      expect(context.server.requests).toHaveLength(2)
    })

    test('because of the request is not begun anew', async () => {
      const [first] = cutInText(answer())
      const refusal = wire.errorEvent('invalid_request_error', `Bad: ${canary}`)
      await using context = await talkTo(wire, [streamed(...first, refusal)])
      const turn = await context.talk.say()
      expect(await turn.settled()).toMatchObject({ turnState: 'error' })
      expect(turn.texts()).toEqual(['error: The model did not accept this request, so there is no answer.'])
      expect(context.server.requests).toHaveLength(1)
      expect(JSON.stringify([await context.talk.events(), context.talk.logLines])).not.toContain(canary)
    })

    test('when much text had flowed does not count that text again', async () => {
      const text = 'x'.repeat(250_000)
      const events = wire.message([respond('call_1', 'complete', 'response', text)], { pieceLength: 50_000 })
      await using context = await talkTo(wire, [
        streamed(...events.slice(0, -wire.ending - 1), dropped),
        streamed(...events),
      ])
      const turn = await context.talk.say()
      await context.talk.clock.advance(await context.talk.clock.wait(0, { from: 250, to: 500 }))
      expect(await turn.settled()).toMatchObject({ turnState: 'complete' })
      expect(turn.texts()[0]).toHaveLength('response: '.length + text.length)
    })
  })

  describe('an answer with nothing in it', () => {
    test('is asked for again when not even the end came', async () => {
      await using context = await talkTo(wire, [streamed(), good()])
      const turn = await context.talk.say()
      await context.talk.clock.advance(await context.talk.clock.wait(0, { from: 250, to: 500 }))
      await turn.settled()
      expect(turn.texts()).toEqual([`response: ${long}`])
    })

    test('is asked for once more when the model said nothing, and then is an error', async () => {
      const empty = () => streamed(...wire.message([]))
      await using context = await talkTo(wire, [empty(), empty()])
      const turn = await context.talk.say()
      expect(await turn.settled()).toMatchObject({ turnState: 'error' })
      expect(context.server.requests).toHaveLength(2)
      expect(context.asked(1).user.at(-1)).toContain('respond()')
    })
  })
}
