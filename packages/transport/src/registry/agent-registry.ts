import { cardRefused, isJson } from '@cool-ai/beach-channel/cards'
import { guardedFetch, type GuardedFetch, type RequestGuard } from '@cool-ai/beach-channel/guarded-fetch'
import { BeachError, systemRuntime, type Runtime } from '@cool-ai/beach-core'
import { raceAbort } from '@cool-ai/beach-core/runtime'
import { checkedListings } from './peer-listing.ts'
import { PeerRecord } from './peer-record.ts'
import type { Peer, PeerListing, PeerStatus } from './peer.ts'

/** How cards are fetched anew. */
export interface RefreshOptions {
  /** Also requests cards that are still fresh. */
  readonly force?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** How the cards of agents are fetched, checked and kept. */
export interface AgentRegistryOptions {
  readonly peers: readonly PeerListing[]
  readonly runtime?: Runtime | undefined
  /** What cards and schemas are fetched with; one of its own unless given. */
  readonly fetch?: GuardedFetch | undefined
  /** How long a card is fresh whose publisher does not say; an hour unless given. */
  readonly defaultMaxAgeMs?: number | undefined
  /** How long a card is fresh at the most; a day unless given. */
  readonly maxAgeMs?: number | undefined
  /** How long a card is used after it is no longer fresh while no good one can be fetched; a day unless given. */
  readonly staleMs?: number | undefined
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The peers that this agent knows, by the cards that they publish. */
export class AgentRegistry {
  readonly #records: readonly PeerRecord[]
  readonly #owners = new Map<string, PeerRecord>()
  readonly #fetch: GuardedFetch
  readonly #ownFetch: GuardedFetch | undefined
  readonly #schemas = new WeakMap<Peer['card'], Map<string, Promise<JsonSchema>>>()
  readonly #closing = new AbortController()

  constructor(options: AgentRegistryOptions) {
    const { runtime = systemRuntime(), defaultMaxAgeMs = hourMs, maxAgeMs = dayMs, staleMs = dayMs } = options
    const peers = checkedListings(options.peers)
    this.#ownFetch = options.fetch === undefined ? guardedFetch({ clock: runtime.clock }) : undefined
    this.#fetch = options.fetch ?? (this.#ownFetch as GuardedFetch)
    this.#records = peers.map(
      (listing) =>
        new PeerRecord(listing, {
          fetch: this.#fetch,
          runtime,
          cache: { defaultMaxAgeMs, maxAgeMs },
          staleMs,
          signal: this.#closing.signal,
          claim: async (record, id) => this.#claim(record, id),
        }),
    )
    for (const record of this.#records) if (record.id !== undefined) this.#owners.set(record.id, record)
  }

  /**
   * Reads the cards that are no longer fresh: of all peers, or of one. Failures are in the status, and are not thrown.
   */
  refresh(options?: RefreshOptions): Promise<readonly PeerStatus[]>
  refresh(id: string, options?: RefreshOptions): Promise<PeerStatus>
  async refresh(
    first: string | RefreshOptions = {},
    second: RefreshOptions = {},
  ): Promise<PeerStatus | readonly PeerStatus[]> {
    if (typeof first !== 'string') {
      await this.#read(this.#records, first)
      return this.list()
    }
    const record = this.#owners.get(first)
    if (record === undefined) throw unknownPeer(first)
    await this.#read([record], second)
    return record.status
  }

  /** The peer, if its card has been read; sends no request. */
  byId(id: string): Peer | undefined {
    return this.#owners.get(id)?.peer
  }

  /**
   * The peer, with its card requested first when it is not fresh; throws UNKNOWN_PEER, or why the card cannot be
   * fetched.
   */
  async current(id: string, options: RefreshOptions = {}): Promise<Peer> {
    const listed = this.#owners.get(id)
    // The ids of peers that are listed without one are known when their cards are read.
    const asked = listed === undefined ? this.#records.filter((record) => record.id === undefined) : [listed]
    await this.#read(
      asked.filter((record) => !record.isResting),
      options,
    )
    const record = this.#owners.get(id)
    const peer = record?.peer
    if (peer === undefined) throw record?.failure ?? unknownPeer(id)
    return peer
  }

  /** The ids of all peers that `byId` returns. */
  ids(): string[] {
    return this.#records.flatMap(({ peer }) => (peer === undefined ? [] : [peer.id]))
  }

  /** The ids of all peers that were listed with one, or whose card has been read. */
  known(): string[] {
    return this.#records.flatMap(({ peer, id = peer?.id }) => id ?? [])
  }

  /** The status of every listed peer, in the order of the list. */
  list(): PeerStatus[] {
    return this.#records.map(({ status }) => status)
  }

  /**
   * The input or output schema of a capability; undefined when its card has none. A schema that the card only refers to
   * is fetched, from where the peer may be reached, and cached as long as the card.
   */
  async resolveSchema(
    id: string,
    capability: string,
    which: 'input' | 'output',
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<JsonSchema | undefined> {
    const peer = this.byId(id)
    if (peer === undefined) throw unknownPeer(id)
    const { inputSchema, outputSchema } = peer.card.capabilities.find((one) => one.id === capability) ?? {}
    const schema = which === 'input' ? inputSchema : outputSchema
    if (schema === undefined) return undefined
    const url = schemaAddress(schema, peer.cardUrl)
    return url === undefined ? checkedSchema(schema) : within(this.#schemaAt(url, peer), options.signal)
  }

  /** Ends requests in progress, and the connections. */
  async close(): Promise<void> {
    this.#closing.abort(new BeachError('UNREACHABLE', 'The registry is closed.'))
    await this.#ownFetch?.close()
  }

  async #read(records: readonly PeerRecord[], { force = false, signal }: RefreshOptions): Promise<void> {
    const due = records.filter((record) => force || !record.isFresh)
    await within(Promise.all(due.map(async (record) => record.read())), signal)
  }

  /** The owner of an id keeps it. Of several that claim it in the same refresh, the first in the list gets it. */
  async #claim(record: PeerRecord, id: string): Promise<void> {
    const earlier = this.#records.slice(0, this.#records.indexOf(record)).filter((other) => other.id === undefined)
    await Promise.all(earlier.flatMap(({ reading }) => reading ?? []))
    if (this.#owners.has(id)) {
      throw cardRefused('id-taken', `It says that it is '${id}', which is another peer. List each peer with its id.`)
    }
    this.#owners.set(id, record)
  }

  async #schemaAt(url: string, { card, guard }: Peer): Promise<JsonSchema> {
    const known = this.#schemas.get(card) ?? new Map<string, Promise<JsonSchema>>()
    this.#schemas.set(card, known)
    const existing = known.get(url)
    if (existing !== undefined) return existing
    const fetched = fetchSchema(this.#fetch, url, guard, this.#closing.signal)
    known.set(url, fetched)
    fetched.catch(() => known.delete(url))
    return fetched
  }
}

function unknownPeer(id: string): BeachError {
  return new BeachError('UNKNOWN_PEER', `No peer '${id}' is known. List it, or refresh the registry.`)
}

async function within<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  return signal === undefined ? work : raceAbort(work, signal)
}

type JsonSchema = Readonly<Record<string, unknown>>

const maxBytes = 256 * 1024
const maxDepth = 100

/** The address that a schema only refers to; undefined when the schema is there. */
function schemaAddress({ $ref }: JsonSchema, cardUrl: string | undefined): string | undefined {
  if (typeof $ref !== 'string' || $ref.startsWith('#')) return undefined
  if (!URL.canParse($ref, cardUrl)) throw refusedSchema('The reference to it is not an address.')
  const url = new URL($ref, cardUrl)
  if (url.hash !== '') throw refusedSchema('The reference to it leads into a document; it must be one of its own.')
  return url.href
}

/** The schema at an address, complete in itself: what it refers to elsewhere is not fetched. */
async function fetchSchema(
  fetch: GuardedFetch,
  url: string,
  guard: RequestGuard,
  signal: AbortSignal,
): Promise<JsonSchema> {
  const accept = 'application/schema+json, application/json'
  const answer = await fetch(url, { headers: { accept }, signal, guard: { ...guard, limits: { bytes: maxBytes } } })
  if (answer.status !== 200 || !isJson(answer.headers.get('content-type'))) {
    await answer.body?.cancel()
    throw refusedSchema(`${new URL(url).host} answers with no JSON (status ${answer.status}).`)
  }
  return checkedSchema(parse(await answer.text()))
}

function checkedSchema(schema: unknown): JsonSchema {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    throw refusedSchema('It is not a JSON object.')
  }
  let level: unknown[] = [schema]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw refusedSchema(`It is more than ${maxDepth} levels deep.`)
    if (level.some(refersElsewhere)) throw refusedSchema('It refers to other documents, which are not fetched.')
    level = level.flatMap((item): unknown[] => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return schema as JsonSchema
}

function refersElsewhere(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const references = ['$ref', '$dynamicRef', '$recursiveRef'].map((name) => (value as JsonSchema)[name])
  return references.some((reference) => typeof reference === 'string' && !reference.startsWith('#'))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw refusedSchema('It is not JSON.', error)
  }
}

function refusedSchema(message: string, cause?: unknown): Error {
  return cardRefused('schema', `The schema cannot be used. ${message}`, cause)
}
