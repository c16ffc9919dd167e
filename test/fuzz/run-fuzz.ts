import { isBeachError } from '@cool-ai/beach-core'
import { Finding, type Edge } from './edge.ts'
import { below, mutated, oneOf, randomFrom } from './mutate.ts'

/** What was found at an edge, with the input that leads to it. */
interface Found {
  readonly edge: string
  readonly input: string
  readonly what: string
}

export interface FuzzReport {
  readonly inputs: number
  readonly found: readonly Found[]
  /** Of each edge: how many inputs, and the most CPU time that one of them took. */
  readonly edges: Readonly<Record<string, { readonly inputs: number; readonly slowestMs: number }>>
}

export interface FuzzOptions {
  readonly edges: readonly Edge[]
  /** How many inputs each edge gets. */
  readonly each: number
  readonly seed: number
}

/** One input may take so much CPU time: more would hold up all other callers of the process. */
const maxStallMs = 100
/** More findings at one edge would say the same again. */
const maxFound = 3

/** Gives each edge damaged inputs, which follow from the seed, and says what must not have happened. */
export async function fuzz({ edges, each, seed }: FuzzOptions): Promise<FuzzReport> {
  const found: Found[] = []
  const figures: Record<string, { inputs: number; slowestMs: number }> = {}
  for (const [place, edge] of edges.entries()) {
    const random = randomFrom(seed * 1_000 + place)
    const figure = (figures[edge.name] = { inputs: 0, slowestMs: 0 })
    const before = found.length
    for (let n = 0; n < each && found.length < before + maxFound; n++) {
      const sample = oneOf(edge.samples, random)
      const input = n === 0 ? sample : below(40, random) === 0 ? noise(random) : mutated(sample, edge.samples, random)
      const { what, ms } = await tried(edge, input)
      figure.inputs++
      figure.slowestMs = Math.max(figure.slowestMs, ms)
      if (what !== undefined) found.push({ edge: edge.name, input, what })
    }
  }
  const inputs = Object.values(figures).reduce((sum, figure) => sum + figure.inputs, 0)
  return { inputs, found, edges: figures }
}

/** Tries one input; one that takes long is tried again, for the first time may have compiled code or collected garbage. */
async function tried(edge: Edge, input: string): Promise<{ what?: string | undefined; ms: number }> {
  let ms = Infinity
  for (let times = 0; times < 3; times++) {
    const began = process.threadCpuUsage()
    const what = await outcome(edge, input)
    const { user, system } = process.threadCpuUsage(began)
    ms = Math.min(ms, (user + system) / 1_000)
    if (what !== undefined || ms < maxStallMs) return { what, ms }
  }
  return { what: `${ms.toFixed(0)} ms of CPU time for ${input.length} characters`, ms }
}

async function outcome({ take, refuses }: Edge, input: string): Promise<string | undefined> {
  try {
    await take(input)
  } catch (error) {
    if (error instanceof Finding) return error.message
    if (!isBeachError(error) && refuses?.(error) !== true) return error instanceof Error ? error.stack : String(error)
  }
  return Object.hasOwn(Object.prototype, 'x') || Object.hasOwn(Object.prototype, 'polluted')
    ? 'The prototype of all objects was changed.'
    : undefined
}

/** Bytes without any sense. */
function noise(random: () => number): string {
  return Array.from({ length: below(400, random) }, () => String.fromCharCode(below(256, random))).join('')
}
