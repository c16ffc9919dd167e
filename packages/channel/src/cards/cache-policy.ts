/** What an answer's headers say about caching it. */
export interface CachePolicy {
  readonly maxAgeMs: number
  /** Whether it may still be used when no newer one can be fetched. */
  readonly mayBeStale: boolean
  /** Whether it may be kept to be asked for again by its tag. */
  readonly mayBeKept: boolean
}

/** How long cards are kept that do not say so themselves. */
export interface CacheDefaults {
  /** How long an answer is fresh that does not say it itself. */
  readonly defaultMaxAgeMs: number
  /** How long any answer is fresh at the most. */
  readonly maxAgeMs: number
}

/** The policy in an answer's headers; undefined when they say nothing about it. */
export function cachePolicy(headers: Headers, now: number, defaults: CacheDefaults): CachePolicy | undefined {
  const control = headers.get('cache-control')
  const expires = headers.get('expires')
  if (control === null && expires === null) return undefined
  const directives = parseDirectives(control ?? '')
  const mayBeKept = !directives.has('no-store')
  const isFresh = mayBeKept && !directives.has('no-cache')
  const lifetime = lifetimeOf(directives, expires, headers, now) ?? defaults.defaultMaxAgeMs
  const left = Math.max(0, lifetime - (secondsIn(headers.get('age')) ?? 0) * 1_000)
  return {
    maxAgeMs: isFresh ? Math.min(left, defaults.maxAgeMs) : 0,
    mayBeStale: mayBeKept && !directives.has('must-revalidate'),
    mayBeKept,
  }
}

function parseDirectives(control: string): Map<string, string> {
  const directives = new Map<string, string>()
  for (const item of control.split(',')) {
    const [name = '', value = ''] = item.trim().split('=', 2)
    directives.set(name.toLowerCase(), value.replaceAll('"', ''))
  }
  return directives
}

function lifetimeOf(
  directives: ReadonlyMap<string, string>,
  expires: string | null,
  headers: Headers,
  now: number,
): number | undefined {
  const maxAge = directives.get('max-age')
  // A value that cannot be read counts as not fresh.
  if (maxAge !== undefined) return (secondsIn(maxAge) ?? 0) * 1_000
  if (expires === null) return undefined
  const sent = Date.parse(headers.get('date') ?? '')
  const lifetime = Date.parse(expires) - (Number.isNaN(sent) ? now : sent)
  return Number.isNaN(lifetime) ? 0 : lifetime
}

function secondsIn(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
