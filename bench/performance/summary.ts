import { percentile } from '../measure.ts'
import { loads, type Found, type Load, type LoadResult } from '../peers/rounds.ts'

/** A measured value, and how many times that of the server it is compared with, in the same rounds. */
export interface Compared {
  readonly value: number
  readonly ratio: number
}

/** The figures of a run, by server and load. */
export class Summary {
  readonly #byId: ReadonlyMap<string, Found>

  constructor(found: readonly Found[]) {
    this.#byId = new Map(found.map((one) => [one.id, one]))
  }

  /** The median of the rounds, and the median of the rounds' ratios. */
  of(id: string, load: Load, key: keyof LoadResult, against = 'loop'): Compared {
    const own = this.#rounds(id, load).map((round) => round[key])
    const other = this.#rounds(against, load).map((round) => round[key])
    return {
      value: percentile(own),
      ratio: percentile(own.map((value, round) => value / (other[round] ?? Number.NaN))),
    }
  }

  heapMbOf1000(id: string): number {
    return this.#byId.get(id)?.heapMbOf1000 ?? Number.NaN
  }

  #rounds(id: string, { people, everyMs }: Load): readonly LoadResult[] {
    const index = loads.findIndex((load) => load.people === people && load.everyMs === everyMs)
    return this.#byId.get(id)?.loads[index] ?? []
  }
}
