import { StreamResponse } from '@a2a-js/sdk'
import { BEACH_EXTENSION_URI } from '@cool-ai/beach-protocol/agent-card'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callLimits } from '../../../channel/src/peers/limits.ts'
import { TaskFold } from './task-fold.ts'

const place = { taskId: 't', contextId: 'c' }
const artifact = (artifactId: string, parts: unknown[], more: object = {}) => ({
  artifactUpdate: { ...place, artifact: { artifactId, parts, ...more } },
})
const status = (state: string, more: object = {}) => ({
  statusUpdate: { ...place, status: { state: `TASK_STATE_${state}`, ...more } },
})
const task = (state: string, artifacts: unknown[] = []) => ({
  task: { id: 't', contextId: 'c', status: { state: `TASK_STATE_${state}` }, artifacts },
})

function folded(...events: unknown[]) {
  const fold = new TaskFold('peer', callLimits, () => true)
  const news = events.map((event) => fold.take(StreamResponse.fromJSON(event)))
  return { fold, news }
}

describe('what a peer has said', () => {
  test('is the same however its text was cut, and whether it came as a stream or as a whole', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        (pieces, again) => {
          const [first = '', ...rest] = pieces
          const more = rest.map((text) => {
            const update = artifact('a', [{ text }])
            return { artifactUpdate: { ...update.artifactUpdate, append: true } }
          })
          const whole = { artifactId: 'a', parts: [{ text: pieces.join('') }] }
          const snapshot = again ? [task('WORKING', [whole])] : []
          const { fold, news } = folded(
            task('WORKING'),
            artifact('a', [{ text: first }]),
            ...more,
            ...snapshot,
            status('COMPLETED'),
          )
          expect(fold.result().parts.map(({ text }) => text)).toEqual([pieces.join('')])
          const reported = news.flat()
          expect(reported.filter(({ isOpen }) => !isOpen)).toHaveLength(1)
          expect(reported.flatMap(({ delta, isOpen }) => (isOpen ? (delta ?? []) : [])).join('')).toBe(pieces.join(''))
        },
      ),
    )
  })

  test('is not told again when it comes again', () => {
    const made = { artifactId: 'a', parts: [{ text: 'x' }, { data: { n: 1 } }] }
    const { news } = folded(
      task('WORKING', [made]),
      task('WORKING', [made]),
      task('COMPLETED', [made]),
      task('COMPLETED', [made]),
    )
    expect(news.map((parts) => parts.length)).toEqual([2, 0, 0, 0])
  })

  test('is told as taken back when the peer takes it back', () => {
    const { fold, news } = folded(
      task('WORKING'),
      artifact('a', [{ text: 'Hm' }]),
      artifact('a', []),
      status('COMPLETED'),
    )
    expect(news[2]).toMatchObject([{ partId: 'a', isRetracted: true }])
    expect(fold.result().parts).toEqual([])
  })

  test('on the way is told once, and is no part of the answer', () => {
    const metadata = { [`${BEACH_EXTENSION_URI}/parts`]: [{ text: 'Hm.', metadata: { partType: 'ack' } }, 7, null] }
    const signal = { statusUpdate: { ...place, status: { state: 'TASK_STATE_WORKING' }, metadata } }
    const { fold, news } = folded(task('WORKING'), signal, signal, status('COMPLETED'))
    expect(news.flat().map(({ part }) => [part.metadata.partType, part.text])).toEqual([['ack', 'Hm.']])
    expect(fold.result().parts).toEqual([])
  })

  test('in files is kept with what is known of them, and links lead to the web only', () => {
    const parts = [
      { raw: Buffer.from('hello').toString('base64'), filename: 'a.txt', mediaType: 'text/plain' },
      { url: 'https://x.example/a' },
      { url: 'javascript:alert(1)' },
    ]
    const { fold } = folded(task('COMPLETED', [{ artifactId: 'a', parts }]))
    expect(fold.result().parts.map(({ data }) => data)).toEqual([
      { artifactId: 'a', mimeType: 'text/plain', name: 'a.txt', sizeBytes: 5, bytes: 'aGVsbG8=' },
      { artifactId: 'a.1', mimeType: 'application/octet-stream', url: 'https://x.example/a' },
      { artifactId: 'a.2', mimeType: 'application/octet-stream', sizeBytes: 0 },
    ])
  })
})

describe('an id that a peer has chosen', () => {
  const long = 'x'.repeat(1_001)
  const message = { messageId: 'm', parts: [{ text: 'x' }] }
  const lastly = { state: 'TASK_STATE_COMPLETED' }
  const longMessage = { ...message, messageId: long }
  test.each<[string, unknown]>([
    ['a task', { task: { ...task('COMPLETED').task, id: long } }],
    ['the context of a task', { task: { ...task('COMPLETED').task, contextId: long } }],
    ['an artifact', artifact(long, [{ text: 'x' }])],
    ['an artifact of a task', task('COMPLETED', [{ artifactId: long, parts: [{ text: 'x' }] }])],
    ['the task of an update', { statusUpdate: { ...place, taskId: long, status: lastly } }],
    ['the context of an update', { statusUpdate: { ...place, contextId: long, status: lastly } }],
    ['the message of a status', status('COMPLETED', { message: longMessage })],
    ['a message', { message: longMessage }],
    ['the task of a message', { message: { ...message, taskId: long } }],
    ['the context of a message', { message: { ...message, contextId: long } }],
  ])('is refused when it is long: that of %s', (_, event) => {
    expect(() => folded(event)).toThrow(/an id of more than 1000 characters/)
  })
})

describe('what a peer wants to have approved', () => {
  const request = (approvalId: string) => ({
    data: { approvalId, toolName: 'pay', toolCallId: 'c', args: {}, handler: 'h', turn: 't', session: 's' },
    metadata: { partType: 'approval-request' },
  })

  test('is what its status says', () => {
    const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'Pay?' }, request('a'), request('b')] }
    const { fold } = folded(
      task('WORKING', [{ artifactId: 'x', parts: [request('old')] }]),
      status('INPUT_REQUIRED', { message }),
    )
    expect(fold.result()).toMatchObject({ state: 'suspended', approvals: [{ approvalId: 'a' }, { approvalId: 'b' }] })
  })

  test('is the last that it has made, when its status does not say', () => {
    const made = ['a', 'b'].map((id) => ({ artifactId: id, parts: [request(id)] }))
    const { fold } = folded(task('INPUT_REQUIRED', made))
    expect(fold.result()).toMatchObject({ state: 'suspended', approvals: [{ approvalId: 'b' }] })
  })

  test('is nothing when what it says is no request', () => {
    const message = {
      messageId: 'm',
      parts: [{ data: { approvalId: 'x' }, metadata: { partType: 'approval-request' } }],
    }
    const { fold } = folded(task('WORKING'), status('INPUT_REQUIRED', { message }))
    expect(fold.result()).toMatchObject({ state: 'clarifying', approvals: [] })
  })
})

describe('what a Beach peer of an earlier version says, its envelope in the last status', () => {
  const meta = { sessionId: 's', turnId: 't1', turnState: 'complete' }
  const slot = (data: unknown, mergeStrategy = 'append') => {
    return { data, metadata: { partType: 'domain-data', slotKey: 'list', mergeStrategy } }
  }
  const words = { text: 'Two.', metadata: { partType: 'response' } }
  const message = { messageId: 't1', role: 'ROLE_AGENT', parts: [slot(['a', 'b']), words], metadata: { meta } }

  test('is told once, and is the answer', () => {
    const { fold, news } = folded(
      task('WORKING'),
      artifact('t1.0.0', [slot(['a'])]),
      artifact('t1.1.0', [slot(['b'])]),
      artifact('t1.2.0', [words]),
      status('COMPLETED', { message }),
    )
    const reported = news.flat().filter(({ isOpen }) => !isOpen)
    expect(reported.map(({ part }) => part.data ?? part.text)).toEqual([['a'], ['b'], 'Two.'])
    expect(fold.result()).toMatchObject({ parts: [{ data: ['a', 'b'] }, { text: 'Two.' }], meta })
  })

  test('is the same when the envelope is next to the artifacts, with each slot once', () => {
    const { fold } = folded(
      task('WORKING'),
      artifact('t0.0.0', [words], { metadata: { turnId: 't0' } }),
      artifact('t1.0.0', [slot(['a'])], { metadata: { turnId: 't1' } }),
      artifact('t1.1.0', [slot(['b'])], { metadata: { turnId: 't1' } }),
      artifact('t1.2.0', [words], { metadata: { turnId: 't1' } }),
      { statusUpdate: { ...place, status: { state: 'TASK_STATE_COMPLETED' }, metadata: { meta } } },
    )
    expect(fold.result()).toMatchObject({ parts: [{ data: ['a', 'b'] }, { text: 'Two.' }], meta })
  })
})

test('what a peer has made twice is twice in its answer; what it says again at the end is not', () => {
  const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'x' }, { text: 'y' }] }
  const made = ['a', 'b'].map((id) => ({ artifactId: id, parts: [{ text: 'x' }] }))
  const { fold } = folded(task('WORKING', made), status('COMPLETED', { message }))
  expect(fold.result().parts.map(({ text }) => text)).toEqual(['x', 'x', 'y'])
})
