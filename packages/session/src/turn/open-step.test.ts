import type { Store } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import type { LiveFrame } from '../feed/live.ts'
import { OpenStep, ToolTexts } from './open-step.ts'

function opened() {
  const frames: LiveFrame[] = []
  const store = { publish: (_: string, frame: LiveFrame) => frames.push(frame) } as unknown as Store
  const open = () => new OpenStep(store, { session: 's', turnId: 't', epoch: 1, step: 0 })
  const step = open()
  return { step, frames, open, add: (delta: string) => step.add({ index: 0, partType: 'response', delta }) }
}

test('a step takes text up to its limit, and as much again after it was retracted', () => {
  const { step, add } = opened()
  const half = 'x'.repeat(200_000)
  for (let attempt = 0; attempt < 2; attempt++) {
    add(half)
    add(half)
    expect(() => add('y')).toThrow('longer than 400000 characters')
    step.retract()
  }
})

test('a step that was retracted repeats nothing of what it had said, and is retracted once', () => {
  const { step, frames, add } = opened()
  add('One')
  step.retract()
  step.retract()
  step.repeat()
  expect(frames.map(({ kind }) => kind)).toEqual(['delta', 'retract'])
  add('Other')
  expect(frames.at(-1)).toMatchObject({ kind: 'delta', offset: 0, text: 'Other' })
  expect(step.truncated()).toMatchObject([{ index: 0, part: { text: 'Other' } }])
})

test('tools show as much text as their limit, all of them together, and what would be more is not shown', () => {
  const { frames, open } = opened()
  const texts = new ToolTexts(open)
  const shown = () => frames.map((frame) => (frame.kind === 'delta' ? frame.text.length : frame.kind))
  texts.add('one', { partType: 'thinking', delta: 'x'.repeat(100_000) })
  texts.add('other', { partType: 'thinking', delta: 'y'.repeat(100_001) })
  texts.add('other', { partType: 'thinking', delta: 'y'.repeat(100_000) })
  texts.add('one', { partType: 'thinking', delta: 'x' })
  expect(shown()).toEqual([100_000, 100_000])
})
