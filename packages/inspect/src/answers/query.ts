import { BeachError } from '@cool-ai/beach-core'

/** The parameters of lists, in words. */
export const paged = { after: 'The `next` of the page before.', limit: 'At most so many; 50 when left out.' } as const

/** The query of a request, with a sentence for what is wrong with it. */
export class Query {
  readonly #params: URLSearchParams

  constructor(request: Request) {
    this.#params = new URL(request.url).searchParams
  }

  text(name: string): string | undefined {
    const value = this.#params.get(name)?.trim()
    return value === undefined || value === '' ? undefined : value.slice(0, 500)
  }

  /** A whole number from 0 on. */
  number(name: string): number | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    if (!/^\d{1,15}$/.test(value)) throw new BeachError('BAD_REQUEST', `\`${name}\` is a number from 0 on.`)
    return Number(value)
  }

  limit(max: number, usual = 50): number {
    const value = this.number('limit') ?? usual
    if (value === 0) throw new BeachError('BAD_REQUEST', '`limit` is a number above 0.')
    return Math.min(value, max)
  }

  /** Milliseconds since 1970, or a date. */
  time(name: string): number | undefined {
    const value = this.text(name)
    if (value === undefined || /^\d+$/.test(value)) return this.number(name)
    const time = Date.parse(value)
    if (Number.isNaN(time)) throw new BeachError('BAD_REQUEST', `\`${name}\` is a time, such as 2026-11-18T12:00:00Z.`)
    return time
  }
}
