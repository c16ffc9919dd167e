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
  process: 1,
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
    /delivered again by the same process without a fault/,
  ],
  [
    'a delivery that another process repeats',
    good,
    { received: [...ledger.received, delivered('a', { at: 11_000, process: 2 })] },
    /delivered again by another process without a fault/,
  ],
  ['what a client has noticed', { ...good, problems: ['an event is lost'] }, {}, /c0 \(webhook\): an event is lost/],
])('%s is a problem', (_, transcript, more, problem) => {
  const problems = problemsOf([transcript], { ...ledger, ...more }, [])
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(problem)
})

const again = (process: number) => ({
  ...ledger,
  received: [...ledger.received, delivered('a', { at: 11_000, process })],
})

test.each<[string, Fault, number]>([
  ['the database was away', { kind: 'restart', from: 10_100, until: 10_200 }, 1],
  ['a lease was not renewed while the database was away', { kind: 'restart', from: 7_000, until: 7_500 }, 2],
  ['its process was killed', { kind: 'kill', process: 1, from: 10_010, until: 12_000 }, 2],
  ['the process that sends it again was frozen', { kind: 'freeze', process: 2, from: 6_000, until: 10_900 }, 2],
])('a delivery may come again under its key when %s', (_, fault, process) => {
  expect(problemsOf([good], again(process), [fault])).toEqual([])
})

test.each<[string, Fault]>([
  ['the fault was that of a third process', { kind: 'kill', process: 3, from: 10_010, until: 12_000 }],
  ['the process had gone on for long', { kind: 'freeze', process: 1, from: 5_000, until: 8_500 }],
  ['the database was there for longer than a lease', { kind: 'restart', from: 6_000, until: 6_900 }],
  ['the fault came later', { kind: 'kill', process: 1, from: 11_100, until: 12_000 }],
])('a delivery may not come again under its key when %s', (_, fault) => {
  expect(problemsOf([good], again(2), [fault])).toHaveLength(1)
})
