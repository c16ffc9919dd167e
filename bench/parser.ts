import { PartTypeRegistry, silentLogger, TurnStateRegistry } from '@cool-ai/beach-core'
import { RespondParser } from '@cool-ai/beach-llm'
import type { BenchOptions, Figure } from './measure.ts'

const kilobyte = 1_024
const sizes = [2, 32, 512] as const

/** The cost per byte at three sizes, and against parsing all the text so far with every delta. */
export function parserFigures({ quick }: BenchOptions): Promise<Figure[]> {
  return Promise.resolve([
    ...perByte('many parts', manyParts, quick),
    ...perByte('one text', oneText, quick),
    reparsing(quick),
  ])
}

/** Three parts as an agent would send them; all calls are made of these, so that a byte is as hard to read in each. */
function partsAt(index: number): object[] {
  const flight = { flightNumber: `BA ${index}`, price: 187.5, stops: index % 3, direct: index % 3 === 0 }
  return [
    { metadata: { partType: 'thinking' }, text: 'Comparing what leaves before noon with what is direct.' },
    { metadata: { partType: 'domain-data', kind: 'flight-results' }, data: { flights: [flight, flight, flight] } },
    { metadata: { partType: 'response' }, text: textAt(index) },
  ]
}

function textAt(index: number): string {
  return `Direct options of day ${index}:\n\n1. EasyJet at 06:15, £94 per person.\n2. "BA" at 08:45 ☕. `.repeat(3)
}

/** About 512 KB of calls, each of about the given length. Many small ones, since one alone would be learnt by heart. */
function manyParts(length: number): string[] {
  return calls(length, JSON.stringify(partsAt(0)).length, (from, count) =>
    Array.from({ length: count }, (_, index) => partsAt(from + index)).flat(),
  )
}

function oneText(length: number): string[] {
  return calls(length, JSON.stringify(textAt(0)).length, (from, count) => {
    const text = Array.from({ length: count }, (_, index) => textAt(from + index)).join('')
    return [{ metadata: { partType: 'response' }, text }]
  })
}

function calls(length: number, unit: number, parts: (from: number, count: number) => object[]): string[] {
  const each = Math.round(length / unit)
  return Array.from({ length: Math.max(1, Math.floor((512 * kilobyte) / (each * unit))) }, (_, index) =>
    JSON.stringify({ turnState: 'complete', parts: parts(index * each, each) }),
  )
}

let chance = 1

/** Gives out the text in deltas of 4 to 20 units, as providers send it. */
function feed(text: string, take: (delta: string) => void): void {
  for (let at = 0; at < text.length;) {
    chance = Math.imul(chance, 48_271) & 0x7fff_ffff
    const end = at + 4 + (chance % 17)
    take(text.slice(at, end))
    at = end
  }
}

const partTypes = PartTypeRegistry.canonical({ logger: silentLogger })
const registries = { partTypes, turnStates: TurnStateRegistry.canonical() }

/** Everything that a call costs: reading, text as it flows, and the check at the end. */
function parse(text: string): number {
  let shown = 0
  const parser = new RespondParser({
    ...registries,
    onText: ({ delta }) => {
      shown += delta.length
    },
  })
  feed(text, (delta) => parser.push(delta))
  return shown + parser.end().parts.length
}

function perByte(what: string, make: (length: number) => string[], quick: boolean): Figure[] {
  const inputs = sizes.map((size) => make(size * kilobyte))
  const costs: number[][] = inputs.map(() => [])
  // The first rounds compile.
  for (let round = quick ? -1 : -5; round < (quick ? 3 : 21); round++) {
    for (const [which, texts] of inputs.entries()) {
      const cost = cpuOf(() => {
        for (let time = 0; time < (quick ? 1 : 4); time++) for (const text of texts) parse(text)
      })
      if (round < 0) continue
      const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) * (quick ? 1 : 4)
      costs[which]?.push((cost * 1_000_000) / bytes)
    }
  }
  return sizes.map((size, which) => ({
    name: `parser: a byte of ${size} KB in ${what} (bare: of ${sizes[0]} KB)`,
    unit: 'ns',
    rounds: (costs[which] ?? []).map((cost, round) => ({ beach: cost, bare: costs[0]?.[round] ?? Number.NaN })),
    ...(which > 0 && { goal: '0.77 to 1.3' }),
  }))
}

function reparsing(quick: boolean): Figure {
  const text = manyParts(32 * kilobyte)[0] ?? ''
  const times = 20
  const rounds = Array.from({ length: quick ? 3 : 9 }, () => ({
    beach:
      cpuOf(() => {
        for (let time = 0; time < times; time++) parse(text)
      }) / times,
    bare: cpuOf(() => reparse(text)),
  }))
  return { name: 'parser: a call of 32 KB (bare: parsed again per delta)', unit: 'ms', rounds, goal: '<= 0.1' }
}

/** The usual way to partial JSON: close what is open and parse all of it, with every delta. */
function reparse(whole: string): unknown {
  let text = ''
  let found: unknown
  const open = new OpenEnds()
  feed(whole, (delta) => {
    text += delta
    open.read(delta)
    try {
      found = JSON.parse(text + open.closing)
    } catch {
      // A delta that ends after a key or within a word cannot be closed like this; the next one will do.
    }
  })
  return found
}

/** What would have to follow for brackets and quotes to be closed; keeps count as it goes, which favours this way. */
class OpenEnds {
  #brackets = ''
  #inString = false
  #escaped = false

  get closing(): string {
    return (this.#inString ? '"' : '') + this.#brackets
  }

  read(delta: string): void {
    for (const unit of delta) {
      if (this.#escaped) this.#escaped = false
      else if (unit === '\\') this.#escaped = true
      else if (unit === '"') this.#inString = !this.#inString
      else if (this.#inString) continue
      else if (unit === '{') this.#brackets = `}${this.#brackets}`
      else if (unit === '[') this.#brackets = `]${this.#brackets}`
      else if (unit === '}' || unit === ']') this.#brackets = this.#brackets.slice(1)
    }
  }
}

/** Milliseconds of CPU, of all threads: what the garbage collector does next to the work is part of its cost. */
function cpuOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
