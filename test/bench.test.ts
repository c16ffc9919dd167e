import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('../bench/run.ts', import.meta.url))

/** Runs the benches as `npm run bench` does; what they measure on a busy machine is not judged here. */
async function bench(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@cool-ai/source', script, ...args])
  return stdout
}

/** The numbers of a line of the table: those after its name and unit, which are at least two spaces apart. */
function numbersOf(table: string, name: string): number[] {
  const line = table.split('\n').find((candidate) => candidate.startsWith(name))
  return (line ?? '')
    .split(/ {2,}/)
    .slice(2, 7)
    .map((cell) => Number(cell))
}

function expectFinite(output: string, name: string): void {
  const numbers = numbersOf(output, name)
  expect(numbers, name).toHaveLength(5)
  for (const number of numbers) expect(number, name).toSatisfy((value: number) => Number.isFinite(value) && value > 0)
}

const postgresFigures = [
  'appends in groups of 32',
  'CPU of an append',
  ...['1 process', '2 processes'].flatMap((processes) => [
    `turns, ${processes} : SQLite`,
    `the agent's CPU of a turn, ${processes} : SQLite`,
  ]),
  'turns, 2 processes, streams of another process : of the same',
  'a word to a viewer of another process : of the same, p50',
  'a word to a viewer of another process : of the same, p99',
  'silence after kill -9 : the lease',
  'silence after SIGTERM : the lease',
  '32 appends at 2,000 sessions : at 1,000',
  '32 wakes, claims and releases at 2,000 sessions : at 1,000',
  "32 lists of a person's sessions at 2,000 sessions : at 1,000",
  '32 reads of a session at 2,000 sessions : at 1,000',
  'a turn, 8 at a time, at 2,000 sessions : at 1,000',
].map((name) => `postgres: ${name}`)

test('a short run of all benches ends and gives every figure as a finite ratio', { timeout: 240_000 }, async () => {
  const output = await bench('--quick')
  expect(output).toContain(`Node ${process.version}`)
  for (const name of [
    'store: appends in groups of 32',
    'store: CPU of an append',
    'turn: CPU of a turn, 1 at a time',
    'turn: CPU of a turn, 32 at a time',
    'encryption: CPU of a turn, on : off, 1 at a time',
    'encryption: CPU of a turn, on : off, 32 at a time',
    'telemetry: CPU of a turn without an SDK, metrics on : off, 1 at a time',
    'telemetry: CPU of a turn without an SDK, metrics on : off, 32 at a time',
    'latency: delta to client, p50',
    'latency: delta to client, p99',
    'fan-out: one part till the last of 50 viewers has it',
    'fan-out: CPU of one part to 50 viewers',
    'session: next turn at 10,000 events : at 100',
    'a2a: CPU of SendMessage to Task, a word, 1 at a time',
    'a2a: CPU of SendMessage to Task, a word, 32 at a time',
    'a2a: CPU of SendMessage to Task, 20 words, 1 at a time',
    'a2a: CPU of SendMessage to Task, 20 words, 32 at a time',
    'a2a: CPU of SendMessage to Task, a word, 1 at a time, store in memory',
    'a2a: CPU of a chunk, of 2,000 : of 50',
    'a2a: time to the first event, p50, 1 at a time',
    'a2a: time to the first event, p50, 1 at a time, store in memory',
    'a2a: time to the first event, p50, 32 at a time',
    'mcp: CPU of a call (memory)',
    'flows: events by POST of 1 at once',
    'flows: events by POST of 16 at once',
    'flows: CPU of an event next to 49 other flows, against none',
    'flows: CPU of an event after 200 messages, against none',
    'mcp: CPU of a call (sqlite)',
    'mcp: heap after 100 calls, against before',
    ...postgresFigures,
  ]) {
    expectFinite(output, name)
  }
  expect(output).toMatch(/^postgres: of a turn: bytes of the write-ahead log +[\d,]+$/m)
  expect(output).toMatch(/^growth: CPU of a turn, by turns of the session: .+ ms \(turn \d+\)$/m)
  expect(output).toMatch(/^growth: missives, of the same turn: [\d.]+ bytes$/m)
  for (const server of ['loop', 'beach-sqlite-agui', ...['ws', 'a2a', 'mcp'].map((by) => `beach-memory-${by}`)]) {
    expect(output).toMatch(
      new RegExp(`^peers: ${server}, 32 at a time, 2 ms apart: CPU [\\d.]+ ms, first byte [\\d.]+ ms`, 'm'),
    )
  }
  // An agent that is killed in the middle of an answer brings it to its end.
  expect(output).toContain(
    'beach-sqlite-agui: after kill -9 a finished answer is on disk: true, of one that is cut off: true',
  )
  // So few viewers may find room in memory that is there already.
  for (const kind of ['of one session', 'of a session each']) {
    const [beach, bare] = numbersOf(output, `viewers: memory of 40 idle ones, ${kind}`)
    expect([beach, bare].every(Number.isFinite), kind).toBe(true)
  }
})

test('a name that no bench has is refused with the names that there are', async () => {
  await expect(bench('nothing')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('store, turn, encryption, telemetry, latency') as string,
  })
})
