import { BeachError, type LiveText } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { RespondParser, type RespondEvent, type RespondParserOptions } from './respond-parser.ts'
import { errorOf, registries } from './respond.test-helper.ts'

function context(options: Partial<RespondParserOptions> = {}) {
  const texts: LiveText[] = []
  const events: RespondEvent[] = []
  const parser = new RespondParser({
    ...registries(),
    onText: (text) => texts.push(text),
    onEvent: (event) => events.push(event),
    ...options,
  })
  const said = (index: number) =>
    texts
      .filter((text) => text.index === index)
      .map((text) => text.delta)
      .join('')
  return { parser, texts, events, said }
}

const response = { partType: 'response' }

describe('text', () => {
  test('of a response flows as it arrives, while the call is far from complete', () => {
    const { parser, texts, events } = context()
    parser.push('{"turnState":"complete","parts":[{"metadata":{"partType":"response"},"text":"Two dir')
    parser.push('ect flights')
    parser.push('.')
    expect(texts).toEqual([
      { index: 0, partType: 'response', delta: 'Two dir' },
      { index: 0, partType: 'response', delta: 'ect flights' },
      { index: 0, partType: 'response', delta: '.' },
    ])
    expect(events).toEqual([])
  })

  test('flows in one delta per piece of input, whatever escapes are in it', () => {
    const { parser, texts } = context()
    parser.push('{"turnState":"complete","parts":[{"metadata":{"partType":"response"},"text":"')
    parser.push('a\\n\\"b\\"\\u0020c')
    expect(texts).toEqual([{ index: 0, partType: 'response', delta: 'a\n"b" c' }])
  })

  test('of parts that do not stream text is not shown', () => {
    const { parser, texts } = context()
    parser.push(
      JSON.stringify({
        turnState: 'complete',
        parts: [
          { metadata: { partType: 'ack' }, text: 'On it.' },
          { metadata: { partType: 'thinking' }, text: 'Hm.' },
          { metadata: { partType: 'llm-context' }, text: 'For peers.' },
          { metadata: { partType: 'domain-data' }, data: { text: 'data', parts: [{ text: 'inner' }] } },
        ],
      }),
    )
    parser.end()
    expect(texts).toEqual([])
  })

  test('of types that a consumer registers with deltas is shown, and of shorthand parts too', () => {
    const { partTypes, turnStates } = registries()
    partTypes.register({ partType: 'ta.story', deliveryRules: { streaming: 'delta', buffered: 'final-state' } })
    const { parser, texts } = context({ partTypes, turnStates })
    parser.push('{"turnState":"complete","parts":[{"partType":"ta.story","text":"Once')
    expect(texts).toEqual([{ index: 0, partType: 'ta.story', delta: 'Once' }])
  })

  test('is held until the part type is known', () => {
    const { parser, texts } = context()
    parser.push('{"turnState":"complete","parts":[{"text":"Hello.","metadata":{"part')
    expect(texts).toEqual([])
    parser.push('Type":"response"')
    expect(texts).toEqual([{ index: 0, partType: 'response', delta: 'Hello.' }])
  })

  test('flows while the turn state is not known yet: what is shown can be taken back', () => {
    const { parser, texts } = context()
    parser.push('{"parts":[{"metadata":{"partType":"ack"},"text":"No."},{"metadata":{"partType":"response"},"text":"')
    for (let piece = 0; piece < 50; piece++) parser.push(`${piece} `)
    expect(texts).toHaveLength(50)
    expect(texts[49]).toEqual({ index: 1, partType: 'response', delta: '49 ' })
    parser.push('"}],"turnState":"complete"}')
    expect(parser.end().turnState).toBe('complete')
    expect(texts).toHaveLength(50)
  })

  test('flows when the state goes by its other name', () => {
    const { parser, said } = context()
    parser.push('{"conversationState":"complete","parts":[{"metadata":{"partType":"response"},"text":"Hi')
    expect(said(0)).toBe('Hi')
  })

  test('is never shown for an unregistered state or type', () => {
    for (const head of [
      '{"turnState":"finished","parts":[{"metadata":{"partType":"response"},"text":"',
      '{"turnState":"complete","parts":[{"metadata":{"partType":"answer"},"text":"',
      '{"turnState":5,"parts":[{"metadata":{"partType":"response"},"text":"',
    ]) {
      const { parser, texts } = context()
      parser.push(`${head}Hello."}]}`)
      errorOf(() => parser.end())
      expect(texts).toEqual([])
    }
  })

  test('never ends within a surrogate pair or an escape', () => {
    const { parser, texts } = context()
    parser.push('{"turnState":"complete","parts":[{"metadata":{"partType":"response"},"text":"')
    for (const piece of ['a\ud83d', '\ude00b', '\\ud83d', '\\ude', '00', 'c\\', 'nd\\u', '00e9']) parser.push(piece)
    expect(texts.map(({ delta }) => delta)).toEqual(['a', '😀b', '😀', 'c', '\nd', 'é'])
  })

  test('with half a surrogate pair at its very end still adds up', () => {
    const { parser, said } = context()
    const text = 'lone \ud83d'
    parser.push(`{"turnState":"complete","parts":[{"metadata":{"partType":"response"},"text":"${text}`)
    expect(said(0)).toBe('lone ')
    parser.push('"}]}')
    expect(parser.end().parts[0]?.text).toBe(text)
    expect(said(0)).toBe(text)
  })

  test('that is said twice is shown once: the part that replaces it has the last', () => {
    const { parser, said } = context()
    parser.push('{"turnState":"complete","parts":[{"metadata":{"partType":"response"},"text":"one","text":"two"}]}')
    expect(said(0)).toBe('one')
    expect(parser.end().parts[0]?.text).toBe('two')
  })

  test('of parts that replace earlier ones is not mixed with theirs', () => {
    const { parser, said } = context()
    const parts = (text: string) => JSON.stringify([{ metadata: response, text }])
    parser.push(`{"turnState":"complete","parts":${parts('one')},"parts":${parts('two')}}`)
    expect(said(0)).toBe('one')
    expect(parser.end().parts[0]?.text).toBe('two')
  })
})

describe('a complete call', () => {
  const call = {
    turnState: 'passed',
    passTo: 'drafter',
    parts: [
      { metadata: { partType: 'thinking' }, text: 'Handing over.' },
      { partType: 'domain-data', data: { tone: 'formal' } },
    ],
    note: 'for the log',
  }

  test('is told part by part with its state, and then the state', () => {
    const { parser, events } = context()
    parser.push(JSON.stringify(call))
    expect(events).toEqual([])
    const found = parser.end()
    expect(found).toEqual({
      ...call,
      parts: [call.parts[0], { data: { tone: 'formal' }, metadata: { partType: 'domain-data' } }],
    })
    expect(events).toEqual([
      { type: 'partReceived', index: 0, part: found.parts[0], partType: 'thinking', turnState: 'passed' },
      { type: 'partReceived', index: 1, part: found.parts[1], partType: 'domain-data', turnState: 'passed' },
      { type: 'turnStateChanged', turnState: 'passed', passTo: 'drafter' },
    ])
    expect(JSON.stringify(events)).not.toContain('for the log')
  })

  test('is told once, however often it is asked for', () => {
    const { parser, events } = context()
    parser.push(JSON.stringify(call))
    expect(parser.end()).toBe(parser.end())
    expect(events).toHaveLength(3)
  })
})

describe('a call that fails', () => {
  const start = '{"turnState":"complete","parts":[{"metadata":{"partType":"response"},"text":"Hello."}'

  test.each([
    ['is malformed', ', oops]}', 'BAD_JSON'],
    ['is truncated', ',{"metadata":{"partType":"resp', 'BAD_JSON'],
    ['goes on after its end', ']} {}', 'BAD_JSON'],
    ['has an unregistered part type', ',{"metadata":{"partType":"answer"},"text":"."}]}', 'INVALID_PART'],
    ['contradicts itself about its state', '],"conversationState":"error"}', 'INVALID_STATE'],
    ['approves itself', ',{"metadata":{"partType":"approval-response"},"data":{}}]}', 'INVALID_PART'],
    ['is too deep', `,{"data":${'['.repeat(101)}`, 'TOO_DEEP'],
    ['is too long', `,${' '.repeat(2_000_000)}]}`, 'TOO_LARGE'],
  ])('because it %s has shown text, but no part and no state', (_reason, rest, code) => {
    const { parser, events, said } = context()
    parser.push(start)
    parser.push(rest)
    const error = errorOf(() => parser.end())
    expect(error.code).toBe(code)
    expect(errorOf(() => parser.end())).toBe(error)
    expect(parser.failure).toBe(error)
    expect(events).toEqual([])
    expect(said(0)).toBe('Hello.')
  })

  test('says so as soon as it is known, shows nothing of the delta that failed, and ignores the rest', () => {
    const { parser, texts } = context()
    parser.push(`${start}, oops`)
    expect(parser.failure).toMatchObject({ code: 'BAD_JSON' })
    parser.push(',{"metadata":{"partType":"response"},"text":"More."}]}')
    expect(texts).toEqual([])
    expect(errorOf(() => parser.end())).toBe(parser.failure)
  })

  test('is bounded as its reader says', () => {
    const { parser } = context({ limits: { length: 20 } })
    parser.push(start)
    expect(parser.failure).toMatchObject({ code: 'TOO_LARGE' })
  })
})

test('an error of a listener’s is thrown to the feeder of the parser, and is no failure of the call', () => {
  const onText = () => {
    throw new BeachError('TURN_CLOSED', 'The turn is over.')
  }
  const { parser } = context({ onText })
  const text = '{"turnState":"complete","parts":[{"metadata":{"partType":"response"},"text":"Hello."}]}'
  expect(errorOf(() => parser.push(text)).code).toBe('TURN_CLOSED')
  expect(parser.failure).toBeUndefined()
  expect(parser.end().turnState).toBe('complete')
})
