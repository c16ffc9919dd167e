import { readFileSync, writeFileSync } from 'node:fs'
import { arch, availableParallelism, cpus, loadavg, platform, totalmem } from 'node:os'
import type { Extent, Found } from '../peers/rounds.ts'

/** Where figures were measured, and when. */
export interface Machine {
  readonly date: string
  readonly node: string
  readonly cpu: string
  readonly cores: number
  readonly memoryGb: number
  readonly platform: string
  /** The load of the machine just before: above 0 other programs were at work. */
  readonly loadBefore: number
  readonly seconds: number
}

/** What a server had on disk after `kill -9`. */
export interface Durability {
  readonly id: string
  /** Whether an answer was there that had come to its end. */
  readonly finished: boolean
  /** Whether an answer went on to its end that was cut off; not asked of servers that keep nothing on disk. */
  readonly cutOff?: boolean
}

/** What one run of `npm run bench -- peers` has found. */
export interface PeersFigures {
  readonly machine: Machine
  readonly versions: Readonly<Record<string, string>>
  readonly extent: Extent
  readonly found: readonly Found[]
  readonly durability: readonly Durability[]
  /** Servers that could not be measured, and why. */
  readonly failed: Readonly<Record<string, string>>
}

/** A line of growth: the same figure where there is little, and where there is much. */
export interface GrowthLine {
  readonly name: string
  readonly unit: string
  readonly at: readonly { readonly where: string; readonly value: number }[]
  readonly goal?: string
}

/** What one run of `npm run bench -- growth` has found. */
export interface GrowthFigures {
  readonly machine: Machine
  readonly lines: readonly GrowthLine[]
}

/** What `docs/performance.md` is made of. */
export interface Figures {
  readonly peers?: PeersFigures
  readonly growth?: GrowthFigures
}

const file = new URL('figures.json', import.meta.url)

export function readFigures(): Figures {
  return JSON.parse(readFileSync(file, 'utf8')) as Figures
}

/** Keeps what one bench has found, next to what the other has. */
export function writeFigures(found: Figures): Figures {
  const all = { ...readFigures(), ...found }
  const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value)
  writeFileSync(file, `${JSON.stringify(all, rounded)}\n`)
  return readFigures()
}

/** Says of a measurement where it was made, from its beginning. */
export function machineNow(): () => Machine {
  const began = performance.now()
  const [loadBefore = 0] = loadavg()
  return () => ({
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 1_000_000_000),
    platform: `${platform()} ${arch()}`,
    loadBefore,
    seconds: Math.round((performance.now() - began) / 1_000),
  })
}
