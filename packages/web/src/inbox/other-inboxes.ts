import { vouchedKinds, type PersonTokens } from '@cool-ai/beach-channel/auth'
import type { GuardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { isBeachError, type Decision, type Principal, type Runtime } from '@cool-ai/beach-core'
import type { Decided } from '@cool-ai/beach-core/ports'
import { z } from 'zod'
import { below, type ShownAgent } from './inbox-options.ts'

/** Why nothing of an agent is shown: it does not answer, refuses this agent, or knows operators by itself only. */
export type InboxProblem = 'unreachable' | 'refused' | 'unreadable' | 'operator'

/** What waits for a person at another agent. */
export interface OtherInbox {
  readonly id: string
  readonly name: string
  /** The other agent's own inbox. */
  readonly url: string
  readonly items: readonly OtherItem[]
  /** True when more waits there than is shown here. */
  readonly hasMore?: true
  readonly problem?: InboxProblem
}

export type OtherItem = z.infer<typeof itemSchema>

/** What became of a decision at another agent: `unknown` when it may have arrived, and no answer came. */
export type OtherDecided = Decided | 'invalid' | 'refused' | 'unknown'

// Two agents that are well answer within milliseconds; a page waits no longer for one that is not.
const listLimits = { totalMs: 3_000, headersMs: 3_000, bytes: 2 * 1024 * 1024 }
const maxItems = 50
/** Ids that are one step of a path. */
const idPattern = /^(?!\.+$)[\w.~:-]{1,300}$/

const itemSchema = z.object({
  approvalId: z.string().regex(idPattern),
  requestedAt: z.number(),
  expiresAt: z.number().optional(),
  part: z.object({
    data: z.record(z.string(), z.unknown()),
    metadata: z.looseObject({ partType: z.literal('approval-request') }),
  }),
})
const listSchema = z.object({ items: z.array(z.unknown()), next: z.unknown().optional() })

const statuses: Readonly<Record<number, OtherDecided>> = {
  200: 'decided',
  400: 'invalid',
  401: 'refused',
  403: 'refused',
  404: 'notFound',
  409: 'already',
  410: 'expired',
  422: 'invalid',
}

export interface OtherInboxesOptions {
  readonly agents: Readonly<Record<string, ShownAgent>>
  readonly tokens: PersonTokens
  readonly fetch: GuardedFetch
  readonly runtime: Runtime
}

/** The inboxes of other agents, as one person has them. What they answer is foreign, and shown under their names. */
export class OtherInboxes {
  readonly #agents: ReadonlyMap<string, ShownAgent>
  readonly #tokens: PersonTokens
  readonly #fetch: GuardedFetch
  readonly #runtime: Runtime

  constructor({ agents, tokens, fetch, runtime }: OtherInboxesOptions) {
    this.#agents = new Map(Object.entries(agents))
    this.#tokens = tokens
    this.#fetch = fetch
    this.#runtime = runtime
  }

  nameOf(id: string): string | undefined {
    const agent = this.#agents.get(id)
    return agent && (agent.name ?? id)
  }

  /** All of them at once; one that cannot be read has a problem in place of its items. */
  list(by: Principal): Promise<OtherInbox[]> {
    return Promise.all(
      [...this.#agents].map(async ([id, { url, name = id }]) => {
        const about = { id, name, url: below(url, 'approvals').href }
        if (!vouchedKinds.has(by.kind)) return { ...about, items: [], problem: 'operator' as const }
        try {
          return { ...about, ...(await this.#read(id, url, by)) }
        } catch (error) {
          this.#runtime.logger.log('warn', 'the inbox of another agent cannot be read', { agent: id, error })
          return { ...about, items: [], problem: problemOf(error) }
        }
      }),
    )
  }

  /** Passes a decision on to the agent that asked, which checks and records it. */
  async decide(agent: string, approvalId: string, decision: Decision, by: Principal): Promise<OtherDecided> {
    const url = this.#agents.get(agent)?.url
    if (url === undefined || !idPattern.test(approvalId)) return 'notFound'
    if (!vouchedKinds.has(by.kind)) return 'refused'
    try {
      const response = await this.#call(agent, below(url, `approvals/${approvalId}`), by, {
        method: 'POST',
        body: JSON.stringify(decision),
      })
      await response.body?.cancel()
      return statuses[response.status] ?? 'unknown'
    } catch (error) {
      this.#runtime.logger.log('warn', 'a decision for another agent got no answer', { agent, error })
      return 'unknown'
    }
  }

  async #read(agent: string, url: string, by: Principal): Promise<Pick<OtherInbox, 'items' | 'hasMore' | 'problem'>> {
    const response = await this.#call(agent, below(url, 'approvals'), by, { guard: { limits: listLimits } })
    if (response.status !== 200) {
      await response.body?.cancel()
      this.#runtime.logger.log('warn', 'another agent does not show its inbox here', { agent, status: response.status })
      const isRefused = response.status === 401 || response.status === 403
      return { items: [], problem: isRefused ? 'refused' : 'unreachable' }
    }
    const { items, next } = listSchema.parse(await response.json())
    const shown = items.slice(0, maxItems).flatMap((item) => itemSchema.safeParse(item).data ?? [])
    return { items: shown, ...((next !== undefined || shown.length < items.length) && { hasMore: true }) }
  }

  async #call(agent: string, url: URL, by: Principal, init: Parameters<GuardedFetch>[1]): Promise<Response> {
    const token = await this.#tokens.sign(by, agent)
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': 'application/json' }
    return this.#fetch(url, { ...init, headers, redirect: 'error' })
  }
}

function problemOf(error: unknown): InboxProblem {
  const isUnanswered = isBeachError(error) && error.code !== 'TOO_LARGE'
  return isUnanswered ? 'unreachable' : 'unreadable'
}
