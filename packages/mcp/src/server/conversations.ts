import { hash, type KeyObject } from 'node:crypto'
import { BeachError, type Originator, type Principal, type Runtime, type Sessions } from '@cool-ai/beach-core'
import { defined, ifFound } from '@cool-ai/beach-core/runtime'
import { secretKeys, type Secret } from '@cool-ai/beach-core/tokens'
import type { Caller } from './caller.ts'

/** A conversation that a caller may go on with. */
export interface Conversation {
  readonly conversationId: string
  readonly session: string
  readonly principal: Principal
  readonly to: Originator
}

type Place = Pick<Conversation, 'session' | 'principal'>

/** What callers of MCP are taken to understand: nothing that they have not asked for. */
export const defaultConsumes: readonly string[] = []

export interface ConversationsOptions {
  readonly sessions: () => Sessions
  readonly runtime: Runtime
  /** Makes the guests' conversation ids unforgeable. */
  readonly secret: Secret
  readonly tenant: string
  /** The part types that callers are taken to understand, where a type asks for that. */
  readonly consumes: readonly string[]
}

const guestId = /^conv_[0-9a-z]{26}$/

/**
 * Finds and opens conversations. For a known caller its id is the session's. A guest has no credential, so the id itself
 * is one: the guest's principal follows from it by the agent's secret, and not the other way round.
 */
export class Conversations {
  readonly #options: ConversationsOptions
  readonly #prefixes: readonly [string, ...string[]]

  constructor(options: ConversationsOptions) {
    this.#options = options
    const prefixOf = (key: KeyObject) => `beach-mcp-guest:${key.export().toString('base64url')}:`
    const [first, ...others] = secretKeys(options.secret)
    this.#prefixes = [prefixOf(first), ...others.map(prefixOf)]
  }

  /** A new conversation, which its first message opens. */
  begin(caller: Caller): Conversation {
    const { runtime } = this.#options
    const { principal } = caller
    if (principal === undefined) {
      const conversationId = runtime.id('conv')
      return this.#conversation(conversationId, this.#guest(conversationId, this.#prefixes[0]), caller)
    }
    const session = runtime.id('sess')
    return this.#conversation(session, { session, principal }, caller)
  }

  /** A new conversation that is there without a message. */
  async open(caller: Caller): Promise<Conversation> {
    const begun = this.begin(caller)
    const { principal } = begun
    const session = await this.#options.sessions().open({ principal })
    const conversationId = caller.principal === undefined ? begun.conversationId : session
    return this.#conversation(conversationId, { session, principal }, caller)
  }

  /** The caller's conversation of this id; for other callers it does not exist. */
  async find(caller: Caller, conversationId: string): Promise<Conversation> {
    const { principal } = caller
    const places =
      principal === undefined
        ? this.#prefixes.map((prefix) => this.#guest(conversationId, prefix))
        : [{ session: conversationId, principal }]
    for (const place of places) {
      const session = await this.#sessionAt(place, principal === undefined)
      if (session !== undefined) return this.#conversation(conversationId, { ...place, session }, caller)
    }
    throw notFound()
  }

  async #sessionAt({ session, principal }: Place, isGuest: boolean): Promise<string | undefined> {
    const sessions = this.#options.sessions()
    if ((await ifFound(sessions.checkAccess(session, principal))) !== undefined) return session
    // A guest's conversation that was opened without a message has another session.
    return isGuest ? (await sessions.list({ limit: 1 }, principal)).items[0]?.sessionId : undefined
  }

  #conversation(
    conversationId: string,
    { session, principal }: Place,
    { consumes = this.#options.consumes, catalogs, llmContextLanguage, via }: Caller,
  ): Conversation {
    const id = `mcp:${session}:${principal.id}`
    const known = defined({ catalogs, llmContextLanguage, via })
    const to = { id, transport: 'mcp', deliveryClass: 'buffered', principal, consumes, ...known } as const
    return { conversationId, session, principal, to }
  }

  /** Whose a guest's conversation is, and where: neither leads back to its id. */
  #guest(conversationId: string, prefix: string): Place {
    // All ids have one length, so that hashing the secret with them is enough to sign them.
    if (!guestId.test(conversationId)) throw notFound()
    const digest = hash('sha256', `${prefix}${conversationId}`, 'hex')
    // They begin with the time, as other ids do.
    const second = conversationId.slice('conv_'.length, 'conv_'.length + 6)
    const id = `mcp_${second}${digest.slice(0, 32)}`
    const principal: Principal = { kind: 'anonymous', id, tenant: this.#options.tenant }
    return { principal, session: `sess_${second}${digest.slice(32)}` }
  }
}

function notFound(): BeachError {
  const message = 'There is no such conversation, or it is not yours. Leave `conversationId` out to begin a new one.'
  return new BeachError('NOT_FOUND', message)
}
