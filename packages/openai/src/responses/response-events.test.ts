import { expect, test } from 'vitest'
import type { AnswerItem } from '../answers/answer-item.ts'
import { AnswerWriter } from '../answers/answer-writer.ts'
import { ResponseEvents } from './response-events.ts'

const text = (said: string): AnswerItem => ({ kind: 'text', key: 'a', text: said, sources: [] })

/** All events of an answer whose text comes in these pieces, after a number. */
function eventsOf(pieces: readonly string[], after?: number) {
  const events = new ResponseEvents(after)
  const writer = new AnswerWriter()
  const told = events.event('created', {})
  let said = ''
  for (const piece of pieces) {
    said += piece
    told.push(...writer.update([text(said)]).flatMap((change) => events.of(change)))
  }
  return [...told, ...writer.close().flatMap((change) => events.of(change))]
}

const numberOf = (event: Readonly<Record<string, unknown>>) => Number(event.sequence_number)

test('the numbers of events do not depend on how a text was cut into deltas', () => {
  const [whole, pieces] = [eventsOf(['Hello there.']), eventsOf(['Hel', 'lo ', 'there.'])]
  expect(numberOf(whole.at(-1) ?? {})).toBe(numberOf(pieces.at(-1) ?? {}))
  expect(whole.filter(({ type }) => type !== 'response.output_text.delta')).toEqual(
    pieces.filter(({ type }) => type !== 'response.output_text.delta'),
  )
})

test('after any event of one reading, another reading gives exactly what was missing', () => {
  const live = eventsOf(['Hel', 'lo ', 'there.'])
  const said = (events: readonly Readonly<Record<string, unknown>>[]) =>
    events.map(({ delta = '' }) => String(delta)).join('')
  for (const [index, event] of live.entries()) {
    const rest = eventsOf(['Hello there.'], numberOf(event))
    expect(said(live.slice(0, index + 1)) + said(rest), String(event.type)).toBe('Hello there.')
    const missing = new Set(live.slice(index + 1).map(({ type }) => type))
    expect(new Set(rest.map(({ type }) => type))).toEqual(missing)
  }
})
