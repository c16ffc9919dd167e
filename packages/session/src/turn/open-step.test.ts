import type { Store } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import type { LiveFrame } from '../feed/live.ts'
import { OpenStep } from './open-step.ts'

function opened() {
  const frames: LiveFrame[] = []
  const store = { publish: (_: string, frame: LiveFrame) => frames.push(frame) } as unknown as Store
  const step = new OpenStep(store, { session: 's', turnId: 't', epoch: 1, step: 0 })
  return { step, frames, add: (delta: string) => step.add({ index: 0, partType: 'response', delta }) }
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
