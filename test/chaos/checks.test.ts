import { expect, test } from 'vitest'
import { problemsOf } from './checks.ts'
import type { Fault } from './faults.ts'
import type { Received, ToolRun } from './ledger.ts'
import { wordsOf, type Transcript } from './script.ts'

const looked = wordsOf('c0 look').join('')
const good: Transcript = {
  name: 'c0',
  way: 'webhook',
  asks: ['look', 'post'],
  answers: [
    { asked: 'c0 look', texts: [looked] },
    { asked: 'c0 post', texts: ['c0 post: ok'] },
  ],
  problems: [],
}
const run: ToolRun = { name: 'c0', ask: 'c0 post', key: 's:1', process: 1 }
const delivered = (key: string, more: Partial<Received> = {}): Received => ({
  to: '/callbacks/c0',
  key,
  body: JSON.stringify({ parts: [key] }),
  at: 10_000,
  process: '1',
  ...more,
})
const ledger = { runs: [run], received: [delivered('a'), delivered('b')] }

function answering(...texts: readonly string[]): Transcript {
  return { ...good, answers: [good.answers[0] ?? { asked: '', texts: [] }, { asked: 'c0 post', texts }] }
}

test('a conversation with whole answers, one run of its tool and its deliveries is right', () => {
  expect(problemsOf([good], ledger, [])).toEqual([])
  expect(problemsOf([answering('c0 post: unknown')], { ...ledger, runs: [] }, [])).toEqual([])
})

test.each<[string, Transcript, Partial<typeof ledger>, RegExp]>([
  ['an answer that is missing', answering(), {}, /answered with \[\]/],
  ['an answer that came twice', answering('c0 post: ok', 'c0 post: ok'), {}, /answered with/],
  ['an answer that is cut off', answering('c0 post'), {}, /answered with/],
  ['a message that is missing', { ...good, answers: good.answers.slice(0, 1) }, {}, /it has the messages c0 look/],
  [
    'a tool that ran twice',
    good,
    { runs: [run, { ...run, process: 2 }] },
    /'c0 post' ran 2 times, in the processes 1, 2/,
  ],
  ['a tool that ran twice under two keys', good, { runs: [run, { ...run, key: 's:2' }] }, /ran 2 times/],
  ['a tool that is said to have run', good, { runs: [] }, /says that a tool has run/],
  ['a delivery that is lost', good, { received: [delivered('a')] }, /1 deliveries have come in place of 2/],
  [
    'a delivery under two keys',
    good,
    { received: [delivered('a'), delivered('b', { body: delivered('a').body })] },
    /under two keys/,
  ],
  [
    'a delivery that the same process repeats',
    good,
    { received: [...ledger.received, delivered('a', { at: 11_000 })] },
    /delivered again without a fault/,
  ],
  ['what a client has noticed', { ...good, problems: ['an event is lost'] }, {}, /c0 \(webhook\): an event is lost/],
])('%s is a problem', (_, transcript, more, problem) => {
  const problems = problemsOf([transcript], { ...ledger, ...more }, [])
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(problem)
})

test('a delivery may come again under its key after a fault, or from the process that has taken over', () => {
  const fault: Fault = { kind: 'restart', from: 10_100, until: 10_200 }
  const again = delivered('a', { at: 11_000 })
  expect(problemsOf([good], { ...ledger, received: [...ledger.received, again] }, [fault])).toEqual([])
  const other = { ...again, process: '2' }
  expect(problemsOf([good], { ...ledger, received: [...ledger.received, other] }, [])).toEqual([])
})
