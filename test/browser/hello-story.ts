import { expect } from 'vitest'
import { answerTo } from '../../examples/hello/hello-actor.ts'

/** All that the page shows of one message when it has been answered. */
export function story(text: string) {
  return [
    { kind: 'user', text },
    { kind: 'ack', text: `You said “${text}”.` },
    { kind: 'thinking', text: 'Looking for the right words.' },
    { kind: 'response', text: answerTo(text) },
  ]
}

/**
 * The answer was only ever a beginning of the whole and only ever grew, up to the whole. It may have been taken back and
 * begun anew once for each time that the server was started again.
 */
export function expectGrowth(texts: readonly string[], whole: string, restarts = 0): void {
  let before = ''
  let anew = 0
  for (const text of texts) {
    expect(text).toBe(whole.slice(0, text.length))
    if (text.length <= before.length) anew++
    before = text
  }
  expect(anew).toBeLessThanOrEqual(restarts)
  expect(before).toBe(whole)
}
