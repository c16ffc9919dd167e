import type { LiveText } from '@cool-ai/beach-core'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkRespond } from './check-respond.ts'
import { hardText, pieces, quoted, sizes, styles } from './json-text.test-helper.ts'
import { RespondParser, type RespondEvent } from './respond-parser.ts'
import { errorOf, registries } from './respond.test-helper.ts'

const options = registries()

/** The members of an object, in an order of its own. */
function inAnyOrder(members: readonly (readonly [string, fc.Arbitrary<string>])[]): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.tuple(...members.map(([, text]) => text)),
      fc.shuffledSubarray(
        members.map((_, index) => index),
        { minLength: members.length },
      ),
      fc.constantFrom('', ' '),
    )
    .map(([texts, order, space]) => {
      const found = order.map((index) => `${JSON.stringify(members[index]?.[0])}:${space}${texts[index]}`)
      return `{${found.join(`${space},`)}}`
    })
}

const text = fc.tuple(hardText, styles).map(([said, how]) => quoted(said, how))
const name = (...names: string[]) => fc.tuple(fc.constantFrom(...names), styles).map(([said, how]) => quoted(said, how))
const data = fc
  .jsonValue({ maxDepth: 3 })
  .map((value) => JSON.stringify({ value, text: 'inner', parts: [value] }))
  // See the helper: a backslash as a key spoils V8's JSON.parse, with which results are compared here.
  .filter((json) => !json.includes('\\\\'))
const textType = name('response', 'response', 'response', 'ack', 'thinking', 'llm-context')

const part = fc.oneof(
  {
    weight: 4,
    arbitrary: inAnyOrder([
      [
        'metadata',
        inAnyOrder([
          ['partType', textType],
          ['x', data],
        ]),
      ],
      ['text', text],
    ]),
  },
  {
    weight: 2,
    arbitrary: inAnyOrder([
      ['partType', textType],
      ['text', text],
      ['data', data],
    ]),
  },
  {
    weight: 1,
    arbitrary: inAnyOrder([
      ['metadata', inAnyOrder([['partType', name('domain-data')]])],
      ['data', data],
    ]),
  },
)
const parts = fc.array(part, { minLength: 1, maxLength: 4 }).map((found) => `[${found.join(', ')}]`)
const call = inAnyOrder([
  ['turnState', name('awaiting', 'complete', 'clarifying')],
  ['parts', parts],
  ['note', text],
])

function run(chunks: readonly string[]) {
  const texts: LiveText[] = []
  const events: RespondEvent[] = []
  const parser = new RespondParser({
    ...options,
    onText: (said) => texts.push(said),
    onEvent: (event) => events.push(event),
  })
  for (const chunk of chunks) parser.push(chunk)
  return { parser, texts, events }
}

test('a call is the same however it is split, and its deltas add up to its text', () => {
  fc.assert(
    fc.property(call, sizes, (json, cuts) => {
      const { parser, texts, events } = run(pieces(json, cuts))
      const found = parser.end()
      expect(found).toEqual(checkRespond(JSON.parse(json), options))
      expect(events).toEqual([
        ...found.parts.map((each, index) => ({
          type: 'partReceived',
          part: each,
          partType: each.metadata.partType,
          turnState: found.turnState,
          index,
        })),
        { type: 'turnStateChanged', turnState: found.turnState },
      ])
      const shown = found.parts.map((_, index) => texts.filter((said) => said.index === index))
      for (const [index, { text: whole, metadata }] of found.parts.entries()) {
        const deltas = (shown[index] ?? []).map(({ delta }) => delta)
        expect(deltas.join('')).toBe(metadata.partType === 'response' ? whole : '')
        for (const [at, delta] of deltas.entries()) {
          expect(delta).not.toBe('')
          expect(/[\ud800-\udbff]$/.test(delta) && /^[\udc00-\udfff]/.test(deltas[at + 1] ?? '')).toBe(false)
        }
      }
      expect(texts.map(({ index }) => index)).toEqual(texts.map(({ index }) => index).toSorted((a, b) => a - b))
    }),
    { numRuns: 2_000 },
  )
})

test('a call that is cut off anywhere gives an error, no event, and no text that it would not have had', () => {
  fc.assert(
    fc.property(call, sizes, fc.nat(), (json, cuts, anywhere) => {
      const { parser, texts, events } = run(pieces(json.slice(0, anywhere % json.length), cuts))
      expect(errorOf(() => parser.end())).toMatchObject({ code: 'BAD_JSON', details: { truncated: true } })
      expect(events).toEqual([])
      const whole = run([json]).parser.end()
      for (const { index } of texts) {
        const said = texts
          .filter((other) => other.index === index)
          .map(({ delta }) => delta)
          .join('')
        expect(whole.parts[index]?.text?.startsWith(said)).toBe(true)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('in the order of the tool’s schema, no text waits for what comes after it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), (said) => {
      const texts: string[] = []
      const parser = new RespondParser({ ...options, onText: ({ delta }) => texts.push(delta) })
      parser.push('{"turnState":"awaiting","parts":[{"metadata":{"partType":"response"},"text":"')
      for (let at = 0; at < said.length; at++) {
        parser.push(JSON.stringify(said.charAt(at)).slice(1, -1))
        expect(texts.join('')).toBe(said.slice(0, at + 1))
      }
    }),
  )
})
