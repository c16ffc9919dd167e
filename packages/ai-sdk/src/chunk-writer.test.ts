import type { Frame } from '@cool-ai/beach-core'
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import { expect, test } from 'vitest'
import { ChunkWriter } from './chunk-writer.ts'
import { TurnMessage } from './turn-message.ts'
import type { UiChunk } from './ui-message.ts'

const turnId = 'turn_a'
const turn = (epoch: number): Frame => ({ kind: 'turn', turnId, epoch, turnState: 'awaiting' })
const said = (text: string, offset: number, epoch = 1, index = 0): Frame => ({
  kind: 'delta',
  epoch,
  turnId,
  partId: `${turnId}.0.${index}`,
  partType: 'response',
  offset,
  text,
})
const part = (text: string, index = 0, partType = 'response'): Frame => ({
  kind: 'part',
  role: 'agent',
  cursor: String(10 + index),
  turnId,
  partId: `${turnId}.0.${index}`,
  part: { text, metadata: { partType } },
  at: 0,
})

/** The chunks of these frames, and the texts of the message that the stock reader makes of them. */
async function shown(frames: readonly Frame[]) {
  const message = new TurnMessage('me')
  const writer = new ChunkWriter()
  const chunks: UiChunk[] = [{ type: 'start', messageId: turnId }]
  for (const frame of frames) {
    message.apply(frame)
    chunks.push(...writer.update(message.steps()))
  }
  chunks.push(...writer.close())
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk as UIMessageChunk)
      controller.close()
    },
  })
  let last: UIMessage | undefined
  for await (const made of readUIMessageStream({ stream })) last = made
  const texts = last?.parts.flatMap((one) => (one.type === 'text' ? [`${one.text}|${one.state}`] : []))
  return { types: chunks.map(({ type }) => type), texts }
}

test('text grows by deltas, and nothing is sent twice', async () => {
  const { types, texts } = await shown([turn(1), said('Hel', 0), said('lo', 3), said('lo', 3), part('Hello.')])
  expect(texts).toEqual(['Hello.|done'])
  expect(types.filter((type) => type === 'text-delta')).toHaveLength(3)
  expect(types).not.toContain('reset-step')
})

test('a step that another process begins anew replaces what had been said', async () => {
  const { types, texts } = await shown([
    turn(1),
    said('It is sev', 0),
    turn(2),
    said('It is eight.', 0, 2),
    part('It is eight.'),
  ])
  expect(texts).toEqual(['It is eight.|done'])
  expect(types).toContain('reset-step')
})

test('a text that turns out to be a thought is no text any more', async () => {
  const { texts } = await shown([turn(1), said('Hm', 0), part('Hm.', 0, 'thinking'), part('Yes.', 1)])
  expect(texts).toEqual(['Yes.|done'])
})

test('a text that was only shown, and never said, is gone', async () => {
  const { texts } = await shown([
    turn(1),
    said('Lost', 0),
    said('Kept', 0, 1, 1),
    part('Kept', 1),
    { ...turn(1), step: 0 } as Frame,
  ])
  expect(texts).toEqual(['Kept|done'])
})

test('the end of a call is told once, in whichever step it comes', async () => {
  const call: Frame = { kind: 'call', turnId, callId: 'c1', name: 'look', at: 0 }
  const result: Frame = { kind: 'result', turnId, callId: 'c1', outcome: 'ok', value: 7, at: 0 }
  const later: Frame = { ...(part('Done.') as Extract<Frame, { kind: 'part' }>), partId: `${turnId}.1.0` }
  const { types } = await shown([turn(1), part('Wait.'), call, later, result, result])
  expect(types.filter((type) => type.startsWith('tool-output'))).toEqual(['tool-output-available'])
})
