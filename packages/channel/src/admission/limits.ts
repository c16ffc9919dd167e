import { BeachError } from '@cool-ai/beach-core'

/** How much there may be within a minute, and within a day by UTC. What is left out has its default, or no limit. */
export interface Windows {
  readonly perMinute?: number | undefined
  readonly perDay?: number | undefined
}

/** What counts against limits. */
export type Counted = 'requests' | 'sessions' | 'messages' | 'turns' | 'bytes' | 'tokens' | 'cost'

/** How much one caller, network or tenant may have. */
export interface Quota {
  /** Requests of callers who are not known; of a network only. */
  readonly requests?: Windows | undefined
  /** Conversations that are begun, by whichever channel. */
  readonly sessions?: Windows | undefined
  readonly messages?: Windows | undefined
  readonly turns?: Windows | undefined
  /** Bytes of messages and of files that are kept. */
  readonly bytes?: Windows | undefined
  /** Tokens of models, in and out together. */
  readonly tokens?: Windows | undefined
  /** In the currency of the prices that the actors were given. */
  readonly cost?: Windows | undefined
  /** Streams and requests that are open at the same time, in one process. */
  readonly streams?: number | undefined
}

/** The limits of callers: one table for all channels. */
export interface CallerLimits {
  /** Of each principal. */
  readonly principal?: Quota | undefined
  /** Of all guests of one network together: an IPv4 address, a /64 of IPv6. Neighbouring networks get five times as much. */
  readonly network?: Quota | undefined
  /** Of each tenant. */
  readonly tenant?: Quota | undefined
  /** Of tenants with quotas of their own, by name; what they leave out is as in `tenant`. */
  readonly tenants?: Readonly<Record<string, Quota>> | undefined
}

/** The limits that hold when nothing is said. */
export const defaultCallerLimits = {
  principal: { sessions: { perMinute: 6_000 }, messages: { perMinute: 12_000 }, streams: 200 },
  network: {
    requests: { perMinute: 60_000 },
    sessions: { perMinute: 300 },
    messages: { perMinute: 12_000 },
    streams: 1_000,
  },
} as const satisfies CallerLimits

const counted: readonly Counted[] = ['requests', 'sessions', 'messages', 'turns', 'bytes', 'tokens', 'cost']
/** Neighbouring networks, which one owner is likely to have, may have this many times as much as one of them. */
const timesOfOne = 5

/** Whose use is counted together. */
export type Scope = 'principal' | 'network' | 'subnet' | 'tenant'

/** One limit of the table. */
export interface Limit {
  readonly scope: Scope
  readonly what: Counted
  readonly max: number
  readonly window: 'minute' | 'day'
  /** What it is counted under begins with this. */
  readonly name: string
  /** What turns use is counted afterwards: before that it is only asked whether anything is left. */
  readonly isUsage: boolean
}

/** What a tenant's callers are held to. */
export interface TenantLimits {
  readonly of: Readonly<Record<Counted, readonly Limit[]>>
  /** Those that a message meets. */
  readonly message: readonly Limit[]
  /** Those on what turns use. */
  readonly usage: readonly Limit[]
  /** True where some of those of messages are of a day. */
  readonly hasDays: boolean
  readonly streams: number | undefined
}

/** The limits of a tenant's callers, one by one. */
export function limitsOfTenant(table: CallerLimits, tenant?: string): TenantLimits {
  const { principal, network } = defaultCallerLimits
  const own = tenant !== undefined && table.tenants !== undefined ? table.tenants[tenant] : undefined
  const quotas: readonly (readonly [Scope, Quota])[] = [
    ['principal', merged(principal, table.principal)],
    ['network', merged(network, table.network)],
    ['subnet', merged(network, table.network)],
    ['tenant', merged(table.tenant ?? {}, own)],
  ]
  const limitsOn = (what: Counted) => quotas.flatMap(([scope, quota]) => limitsIn(scope, what, quota[what]))
  const of: TenantLimits['of'] = {
    requests: limitsOn('requests'),
    sessions: limitsOn('sessions'),
    messages: limitsOn('messages'),
    turns: limitsOn('turns'),
    bytes: limitsOn('bytes'),
    tokens: limitsOn('tokens'),
    cost: limitsOn('cost'),
  }
  const usage = [...of.turns, ...of.tokens, ...of.cost]
  const streams = (own ?? table.tenant)?.streams ?? table.tenant?.streams
  const message = [...of.messages, ...of.bytes, ...usage]
  return { of, usage, message, hasDays: message.some(({ window }) => window === 'day'), streams }
}

/** Refuses what is no limit. */
export function checkCallerLimits(table: CallerLimits): void {
  const { principal = {}, network = {}, tenant = {}, tenants = {} } = table
  const named = Object.entries({ principal, network, tenant })
  for (const [name, one] of Object.entries(tenants)) named.push([`tenants.${name}`, one])
  for (const [name, quota] of named) {
    for (const [what, limit] of Object.entries(quota)) {
      const numbers = typeof limit === 'object' && limit !== null ? Object.values(limit) : [limit]
      if (numbers.every((value) => value === undefined || isLimit(value))) continue
      const message = `\`limits.${name}.${what}\` is a number above 0, or { perMinute, perDay } of such numbers. Infinity is no limit.`
      throw new BeachError('INVALID_CONFIGURATION', message)
    }
  }
}

function isLimit(value: unknown): boolean {
  return typeof value === 'number' && value > 0
}

function merged(defaults: Quota, given: Quota = {}): Quota {
  const all = { ...defaults, ...given }
  const windows = counted.map((what) => [what, { ...defaults[what], ...given[what] }] as const)
  return { ...all, ...Object.fromEntries(windows) }
}

function limitsIn(scope: Scope, what: Counted, windows: Windows = {}): Limit[] {
  const times = scope === 'subnet' ? timesOfOne : 1
  const isUsage = what === 'turns' || what === 'tokens' || what === 'cost'
  const limit = (window: Limit['window'], max = Infinity): Limit[] =>
    max === Infinity ? [] : [{ scope, what, window, isUsage, max: max * times, name: `${what} ${window} ${scope} ` }]
  return [...limit('minute', windows.perMinute), ...limit('day', windows.perDay)]
}
