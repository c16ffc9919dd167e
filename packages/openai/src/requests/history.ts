import { createHash } from 'node:crypto'
import { tipPrefix } from '@cool-ai/beach-channel/retention'
import type { ThreadSession } from '@cool-ai/beach-channel/threads'
import { othersPart, type Part, type Principal, type Sessions, type Store } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { wordsOf } from './given-content.ts'
import type { GivenMessage } from './take-request.ts'

/** What was said before. */
export interface SaidBefore {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

/** What of a client's messages was said; calls and their outputs are known by their ids. */
export function saidIn(messages: readonly GivenMessage[]): SaidBefore[] {
  return messages.flatMap(({ role, contents }): SaidBefore[] => {
    if (role !== 'user' && role !== 'assistant') return []
    const text = wordsOf(contents).trim()
    return text === '' ? [] : [{ role, text }]
  })
}

/** What was said in a session up to an event. */
export async function saidUpTo(
  sessions: Sessions,
  { session, viewer }: ThreadSession,
  upTo: number,
): Promise<SaidBefore[]> {
  const said: SaidBefore[] = []
  for await (const frame of sessions.history(session, viewer)) {
    if (Number(frame.cursor ?? 0) > upTo) break
    if (frame.kind !== 'part' || frame.part.text === undefined) continue
    const { text, metadata } = frame.part
    const isSaid = frame.role === 'user' || metadata.partType === 'response' || metadata.partType === 'clarify'
    if (isSaid) said.push({ role: frame.role === 'user' ? 'user' : 'assistant', text })
  }
  return said
}

const maxHistory = 60_000

/** A conversation that is not the session's own, for a new session: the client's word, passed on. */
export function historyPart(said: readonly SaidBefore[]): Part {
  const text = said.map((one) => `${one.role}: ${one.text}`).join('\n\n')
  const shown = text.length > maxHistory ? `…${text.slice(-maxHistory)}` : text
  return othersPart(`The conversation so far, as the client has it:\n\n${shown}`, 'quoted')
}

/** True when a session has answered another message after an event. */
export async function hasGoneOn(
  sessions: Sessions,
  { session, viewer }: ThreadSession,
  after: string,
): Promise<boolean> {
  for await (const frame of sessions.history(session, viewer, after)) {
    if (frame.kind === 'turn' && frame.messageIds !== undefined) return true
  }
  return false
}

/**
 * Finds the session that a conversation is of which a client has by heart. Clients of chat completions name no conversation:
 * they send what was said. A session goes on when that is exactly what was said in it, nothing was said since, and only one
 * session has it. Every other history begins a new session.
 */
export class ChatTips {
  readonly #store: Store
  readonly #sessions: Sessions

  constructor({ store, sessions }: { readonly store: Store; readonly sessions: Sessions }) {
    this.#store = store
    this.#sessions = sessions
  }

  /** `user` is the client's word for one of its users: it keeps those of one key apart. */
  async find(
    said: readonly SaidBefore[],
    principal: Principal,
    user: string | undefined,
    placeOf: (session: string) => Promise<ThreadSession | undefined>,
  ): Promise<ThreadSession | undefined> {
    const prefix = `${tipPrefix}${digest(said, principal, user)}:`
    const [found, another] = await this.#store.list(prefix, undefined, 2)
    if (found === undefined || another !== undefined) return undefined
    const place = await placeOf(found.key.slice(prefix.length))
    if (place === undefined || (await hasGoneOn(this.#sessions, place, found.value))) return undefined
    return place
  }

  /** A session has come to this point, with that seq. */
  async put(
    said: readonly SaidBefore[],
    { session, principal }: ThreadSession,
    user: string | undefined,
    upTo: number,
  ): Promise<void> {
    await this.#store.bind(`${tipPrefix}${digest(said, principal, user)}:${session}`, String(upTo))
  }
}

/** White space is what clients change. */
function digest(said: readonly SaidBefore[], principal: Principal, user = ''): string {
  const words = said.map(({ role, text }) => [role, text.replaceAll(/\s+/g, ' ').trim()])
  const text = JSON.stringify([principal.tenant, principalKey(principal), user, words])
  return createHash('sha256').update(text).digest('hex').slice(0, 40)
}
