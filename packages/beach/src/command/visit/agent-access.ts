import { auditedTenants, verifyAudit, type VerifiedAudit } from '@cool-ai/beach-channel/audit'
import { BeachError, systemClock, type Decision, type SessionView, type Store } from '@cool-ai/beach-core'
import { toLogged, type SessionEvent } from '@cool-ai/beach-core/log'
import type { DeadLetterEntry, Page, PendingApproval, SessionQuery, SessionSummary } from '@cool-ai/beach-core/ports'
import { redacted, sessionSummary } from '@cool-ai/beach-inspect'
import type { Command } from 'commander'
import { defined } from '@cool-ai/beach-core/runtime'
import { revokeFor, type RevokeRequest } from '../../identity/revoke-request.ts'
import type { DataChoice } from '../data/data-choice.ts'
import { visitData } from './visit-data.ts'

/** A session of a list, with its state and first words where the agent has an inspector. */
interface ListedSession extends SessionSummary {
  readonly state?: string | undefined
  readonly title?: string | undefined
}

/** A session; the operator API has the view inside of its own summary. */
export type ShownSession = SessionView | (ListedSession & { readonly view?: SessionView | undefined })

export interface NewestEvents {
  readonly events: readonly SessionEvent[]
  readonly earlier: number
}

/** How many events of a session are shown to people. */
const maxShown = 500

/** What operators do with an agent's sessions: by a running agent's operator API, or on its data. */
export interface AgentAccess {
  sessions(query: SessionQuery): Promise<Page<ListedSession>>
  session(id: string): Promise<ShownSession>
  /** The newest events of a session, of which there may be earlier ones. */
  newestEvents(id: string): Promise<NewestEvents>
  approvals(query: SessionQuery): Promise<Page<PendingApproval>>
  decide(approvalId: string, decision: Decision): Promise<void>
  deadLetters(query: SessionQuery): Promise<Page<DeadLetterEntry>>
  redeliver(session: string, delivery: string): Promise<void>
  /** Takes tokens back; gives what is on record of it. */
  revoke(asked: RevokeRequest): Promise<string>
  /** Whether the record is as it was written, of each tenant. */
  verifyAudit(expected?: string): Promise<readonly VerifiedAudit[]>
  /** The record, line by line. */
  exportAudit(format: 'jsonl' | 'syslog'): AsyncIterable<string>
  close(): Promise<void>
}

export interface AccessFlags extends DataChoice {
  readonly url?: string | undefined
  readonly data?: string | undefined
}

/** Adds the options by which these commands reach an agent. */
export function accessOptions(command: Command): Command {
  return command
    .option('--url <address>', 'a running agent with `inspect`; its operator token is in BEACH_OPERATOR_TOKEN')
    .option('--data <data>', 'its data folder or database, also while the agent runs')
    .option('--config <file>', 'the configuration; beach.config.ts of the working folder if left out')
    .option('--json', 'print the result as JSON')
}

export async function openAccess({ url, data, config }: AccessFlags): Promise<AgentAccess> {
  return url === undefined ? onData(data, config) : byApi(url)
}

async function onData(data: string | undefined, config: string | undefined): Promise<AgentAccess> {
  const visited = await visitData(data, config)
  const { sessions, operator } = visited
  return {
    close: () => visited.close(),
    async sessions(query) {
      await visited.audit.look(operator, 'sessions')
      const page = await sessions.list(query, operator)
      return { ...page, items: await Promise.all(page.items.map((one) => listedOf(visited.store, one))) }
    },
    session: (id) => sessions.view(id, operator),
    async newestEvents(id) {
      await visited.audit.look(operator, 'session.events', { session: id })
      return newestOf(visited.store, id)
    },
    approvals: (query) => sessions.approvals(query, operator),
    deadLetters: (query) => sessions.deadLetters(query, operator),
    async decide(approvalId, decision) {
      const status = await sessions.decide(approvalId, { ...decision, via: 'command' }, operator)
      if (status === 'already') throw new BeachError('ALREADY_DECIDED', 'This request was decided before.')
      if (status === 'expired') throw new BeachError('EXPIRED', 'This request has expired.')
      if (status !== 'decided') throw new BeachError('NOT_FOUND', 'There is no such request.')
    },
    async revoke(asked) {
      const target = await revokeFor(defined(asked), operator, {
        revocations: visited.revocations,
        ownerOf: (session) => sessions.checkAccess(session, operator),
      })
      await visited.audit.act(operator, 'token.revoke', { detail: target })
      return target
    },
    verifyAudit: (expected) => verifyAudit(visited.store, { expected }),
    async *exportAudit(format) {
      await visited.audit.act(operator, 'audit.export', { detail: format })
      const { syslogLine } = await import('@cool-ai/beach-channel/audit/syslog')
      for (const tenant of await auditedTenants(visited.store)) {
        for await (const entry of visited.audit.entries(tenant)) {
          yield format === 'jsonl' ? JSON.stringify({ tenant, ...entry }) : syslogLine(entry, tenant, 'beach')
        }
      }
    },
    async redeliver(session, delivery) {
      if (await sessions.redeliver(session, delivery, operator)) return
      throw new BeachError('NOT_FOUND', 'There is no such dead letter.')
    },
  }
}

/** With the row that an inspector of the agent has made. */
async function listedOf(store: Store, listed: SessionSummary): Promise<ListedSession> {
  const { state, title } = (await sessionSummary(store, systemClock, listed.sessionId)) ?? {}
  return defined({ ...listed, state, title })
}

/** The places of a session's events are known by reading it only. */
async function newestOf(store: Store, session: string): Promise<NewestEvents> {
  let events: SessionEvent[] = []
  let count = 0
  for (let after = 0; ;) {
    const page = await store.read(session, after, maxShown)
    const last = page.at(-1)
    if (last === undefined) return { events, earlier: count - events.length }
    after = last.seq
    count += page.length
    events = [...events, ...page.map((stored) => redacted(toLogged(stored).event) as SessionEvent)].slice(-maxShown)
  }
}

function byApi(url: string): AgentAccess {
  const token = process.env.BEACH_OPERATOR_TOKEN
  if (token === undefined || token === '') {
    const message = 'Set BEACH_OPERATOR_TOKEN to the token of an operator, as `inspect.operators` of the agent has it.'
    throw new BeachError('BAD_REQUEST', message)
  }
  if (!URL.canParse(url))
    throw new BeachError('BAD_REQUEST', `'${url}' is not an address. Give one like http://127.0.0.1:4747.`)
  const base = new URL('inspect/api/', url.endsWith('/') ? url : `${url}/`)
  const askText = async (path: string, query: SessionQuery = {}, body?: unknown): Promise<string> => {
    const address = new URL(path, base)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) address.searchParams.set(name, String(value))
    const response = await reached(address, token, body)
    const text = await response.text()
    if (!response.ok) throw failure(response.status, text)
    return text
  }
  const ask = async <Answer>(path: string, query?: SessionQuery, body?: unknown): Promise<Answer> =>
    JSON.parse(await askText(path, query, body)) as Answer
  const id = encodeURIComponent
  return {
    close: async () => {},
    sessions: (query) => ask('sessions', query),
    session: (session) => ask(`sessions/${id(session)}`),
    async newestEvents(session) {
      const path = `sessions/${id(session)}/events`
      const { count } = await ask<{ count: number }>(`${path}?limit=1`)
      const earlier = Math.max(0, count - maxShown)
      const page = await ask<{ items: { event: SessionEvent }[] }>(`${path}?at=${earlier}&limit=${maxShown}`)
      return { events: page.items.map(({ event }) => event), earlier }
    },
    approvals: (query) => ask('approvals', query),
    deadLetters: (query) => ask('dead-letters', query),
    decide: (approval, { decision, reason }) => ask(`approvals/${id(approval)}`, {}, { decision, reason }),
    verifyAudit: async (expected) => [
      await ask<VerifiedAudit>(`audit/verify${expected ? `?expected=${id(expected)}` : ''}`),
    ],
    async *exportAudit(format) {
      const text = await askText(`audit/export?format=${format}`)
      yield* text.split('\n').filter((line) => line !== '')
    },
    revoke: async (asked) => (await ask<{ target: string }>('revocations', {}, defined(asked))).target,
    redeliver: (session, delivery) => ask(`dead-letters/${id(session)}/${id(delivery)}`, {}, {}),
  }
}

async function reached(address: URL, token: string, body: unknown): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) }
  try {
    // The token goes to this address only.
    return await fetch(address, { ...init, redirect: 'error' })
  } catch (cause) {
    throw new BeachError('UNREACHABLE', `There is no agent at ${address.origin}. Is it running?`, { cause })
  }
}

function failure(status: number, text: string): BeachError {
  if (status === 401) {
    return new BeachError('FORBIDDEN', 'The agent knows no operator by this token: BEACH_OPERATOR_TOKEN.')
  }
  try {
    const { error } = JSON.parse(text) as { readonly error: { readonly message: string } }
    return new BeachError(status === 401 || status === 403 ? 'FORBIDDEN' : 'PEER_FAILED', error.message)
  } catch {
    return new BeachError('PEER_FAILED', `The agent answered ${status}. Is \`inspect\` on?`)
  }
}
