import { expect, test } from 'vitest'
import type { AnswerItem } from './answer-item.ts'
import { AnswerWriter, type AnswerChange } from './answer-writer.ts'

const text = (key: string, said: string): AnswerItem => ({ kind: 'text', key, text: said, sources: [] })
const call: AnswerItem = { kind: 'call', key: 'c', callId: 'call_1', name: 'paint', arguments: '{}' }
const told = (changes: readonly AnswerChange[]) =>
  changes.map((change) => {
    const { item, index, version, isWhole } = change.written
    const what = change.kind === 'text' ? change.delta : isWhole ? '' : 'cut off'
    return `${change.kind} ${item.key}${version > 1 ? version : ''}@${index} ${what}`.trim()
  })

test('a text grows, and ends when the next item begins', () => {
  const writer = new AnswerWriter()
  expect(told(writer.update([text('a', 'One')]))).toEqual(['begin a@0', 'text a@0 One'])
  expect(told(writer.update([text('a', 'One two'), call]))).toEqual([
    'text a@0  two',
    'end a@0',
    'begin c@1',
    'end c@1',
  ])
  expect(told(writer.update([text('a', 'One two'), call]))).toEqual([])
  expect(told(writer.close())).toEqual([])
})

test('what was taken back is cut off, and said again as another item', () => {
  const writer = new AnswerWriter()
  writer.update([text('a', 'I pay')])
  expect(told(writer.update([]))).toEqual(['end a@0 cut off'])
  expect(told(writer.update([text('a', 'I ask')]))).toEqual(['begin a2@1', 'text a2@1 I ask'])
  expect(told(writer.update([text('a', 'No: ask')]))).toEqual(['end a2@1 cut off', 'begin a3@2', 'text a3@2 No: ask'])
  expect(told(writer.close())).toEqual(['end a3@2'])
})

test('sources of a text are told while it is the last item', () => {
  const writer = new AnswerWriter()
  const source = { url: 'https://a.example/', title: 'A' }
  writer.update([text('a', 'One')])
  const changes = writer.update([{ ...text('a', 'One'), kind: 'text', sources: [source] } as AnswerItem])
  expect(changes).toMatchObject([{ kind: 'source', source, number: 0 }])
})
