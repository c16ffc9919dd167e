import { expect, onTestFinished, test } from 'vitest'
import { allEdges } from './all-edges.ts'
import { Finding, type Edge } from './edge.ts'
import { fuzz } from './run-fuzz.ts'

const inputs = 100_000

test('a hundred thousand damaged inputs crash no parser and no route, stall none, and change nothing when they are refused', async () => {
  const { edges, close } = await allEdges()
  onTestFinished(close)
  const report = await fuzz({ edges, each: Math.ceil(inputs / edges.length), seed: 1 })
  expect(report.found).toEqual([])
  expect(report.inputs).toBeGreaterThanOrEqual(inputs)
}, 300_000)

test('a crash, a stall, and a refused input that changed something are found', async () => {
  const wait = (until: number): void => {
    while (process.threadCpuUsage().user < until) Math.sqrt(until)
  }
  const edges: Edge[] = [
    { name: 'crashes', samples: ['[1]'], take: (input) => Object(JSON.parse(input)) },
    { name: 'refuses', samples: ['[1]'], take: JSON.parse, refuses: (error) => error instanceof SyntaxError },
    { name: 'stalls', samples: ['x'], take: () => wait(process.threadCpuUsage().user + 120_000) },
    { name: 'changes', samples: ['x'], take: () => Promise.reject(new Finding('400, and yet messageReceived')) },
  ]
  const { found } = await fuzz({ edges, each: 5, seed: 1 })
  const by = (name: string) => found.filter(({ edge }) => edge === name).map(({ what }) => what)
  expect(by('crashes')[0]).toContain('SyntaxError')
  expect(by('refuses')).toEqual([])
  expect(by('stalls')[0]).toMatch(/^\d+ ms of CPU time for \d+ characters$/)
  expect(by('changes')[0]).toBe('400, and yet messageReceived')
})
