import type { AuthoredPart } from '@cool-ai/beach-core'
import { buildEnvelope, parsePart, partSchema } from '@cool-ai/beach-protocol'
import type { BenchOptions } from './measure.ts'

/** What one call of `work` costs, in microseconds: the median of several rounds, after a warm-up. */
function costOf(work: () => unknown, calls: number): number {
  const rounds = Array.from({ length: 15 }, () => {
    const start = performance.now()
    for (let call = 0; call < calls; call++) work()
    return ((performance.now() - start) * 1_000) / calls
  })
  // The first rounds compile.
  const sorted = rounds.slice(4).toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function partAt(index: number): AuthoredPart {
  const flight = { flightNumber: `BA ${index}`, airline: 'British Airways', pricePerPerson: 187, stops: index % 3 }
  switch (index % 5) {
    case 0:
      return { partType: 'response', text: `Flight ${index} leaves at 08:45.` }
    case 1:
      return { partType: 'domain-data', data: { [`flight-${index}`]: flight }, metadata: { kind: 'flight-results' } }
    case 2:
      return { partType: 'domain-data', data: [flight], metadata: { slotKey: 'ta.flights', mergeStrategy: 'append' } }
    case 3:
      return {
        partType: 'domain-data',
        data: { [`leg-${index % 50}`]: flight },
        metadata: { slotKey: 'ta.trip', mergeStrategy: 'deep-merge' },
      }
    default:
      return { partType: 'citation', data: { path: `/flight-${index - 3}/pricePerPerson`, title: 'Timetable' } }
  }
}

function envelopeCosts(calls: number): void {
  for (const count of [10, 100, 1_000]) {
    const parts = Array.from({ length: count }, (_, index) => partAt(index))
    const input = { sessionId: 'sess_1', turnId: 'turn_1', turnState: 'complete', parts }
    const cost = costOf(() => buildEnvelope(input), calls / count)
    const perPart = (cost / count).toFixed(2)
    console.log(
      `envelope of ${String(count).padStart(5)} parts: ${cost.toFixed(0).padStart(6)} µs, ${perPart} µs per part`,
    )
  }
}

function validationRates(calls: number): void {
  const samples = {
    response: { text: 'Two direct flights.', metadata: { partType: 'response' } },
    'domain-data': {
      data: { flights: [{ price: 187 }] },
      metadata: { partType: 'domain-data', slotKey: 'ta.flights' },
    },
    progress: { data: { label: 'Research', done: 3, total: 10 }, metadata: { partType: 'progress' } },
  }
  for (const [name, part] of Object.entries(samples)) {
    const bare = costOf(() => partSchema.parse(part), calls)
    const checked = costOf(() => parsePart(part), calls)
    const rate = (cost: number) => `${Math.round(1_000_000 / cost).toLocaleString('en')}/s`
    const factor = (checked / bare).toFixed(2)
    console.log(`validation of ${name}: ${rate(checked)}, bare zod parse ${rate(bare)}, ${factor} times its cost`)
  }
}

/** Envelope building for 10, 100 and 1,000 parts, and part validation against a bare zod parse. */
export function protocolBench({ quick }: BenchOptions): Promise<void> {
  const calls = quick ? 1_000 : 20_000
  envelopeCosts(calls)
  validationRates(calls)
  return Promise.resolve()
}
