import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIPv4, isIPv6 } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Principal } from '@cool-ai/beach-core'
import { LruMap } from '@cool-ai/beach-core/runtime'
import type { PendingBodies } from './pending-bodies.ts'

/** What the server knows about a request, and a Web-standard request does not tell. */
export interface RequestNotes {
  /** The address that its connection comes from. */
  readonly remoteAddress?: (() => string | undefined) | undefined
  /** The client certificate of its connection, as DER. */
  readonly certificate?: (() => Uint8Array | undefined) | undefined
  /**
   * The source of its body. A Web-standard body is a stream that is expensive to make; most bodies are one small piece.
   */
  readonly incoming?: IncomingMessage | undefined
  /**
   * The response to write to directly: a stream that stays open then does without a Web stream, which costs more than
   * all else of an idle connection. The server must not answer once that has its headers.
   */
  readonly response?: ServerResponse | undefined
  /** Headers of every answer to it, such as those that let a page of another origin read it. */
  readonly answerHeaders?: Readonly<Record<string, string>> | undefined
  /** Who sent it, once that is known. */
  readonly caller?: Principal | undefined
  /** Cookies that its answer sets, besides those of the route. */
  readonly cookies?: readonly string[] | undefined
  /** The connection that it asks to upgrade, which ends when the caller's credential is taken back. */
  readonly connection?: Duplex | undefined
  /** Watches whether the caller's credential is taken back while a stream is open; the returned function ends the watch. */
  readonly whileAllowed?: ((end: () => void) => () => void) | undefined
  /** The bodies with which its own counts. */
  readonly pendingBodies?: PendingBodies | undefined
}

const key = Symbol('notes')
const none: RequestNotes = {}

// A property of the request instead of a `WeakMap`: an old `WeakMap` keeps its entries through every minor collection,
// here the whole response.
type NotedRequest = Request & { [key]?: RequestNotes }

/** Adds notes to a request. For servers. */
export function noteRequest(request: NotedRequest, notes: RequestNotes): void {
  request[key] = { ...request[key], ...notes }
}

/** The notes that a server has added to a request; none when it has added none. */
export function notesOf(request: NotedRequest): RequestNotes {
  return request[key] ?? none
}

/** The response to write to directly, where the server noted one. It is handed out once. */
export function takeNodeResponse(request: Request): ServerResponse | undefined {
  const { response } = notesOf(request)
  noteRequest(request, { response: undefined })
  return response
}

/** The same request to another address, with what its server has noted of it: for agents that share a port. */
export function readdressed(request: Request, url: string | URL): Request {
  const other = new Request(url, request)
  noteRequest(other, { remoteAddress: notesOf(request).remoteAddress, response: takeNodeResponse(request) })
  return other
}

/** Where a request comes from, where the server noted it: an IPv4 address, or the network of an IPv6 address. */
export function remoteNetwork(request: Request): string | undefined {
  const address = notesOf(request).remoteAddress?.()
  return address === undefined ? undefined : networkOf(address)
}

// Most requests come from an address that a request came from before.
const known = new LruMap<string>(1_000)

/**
 * The owner of an IPv6 address has 2^64 of them; they count as one. Of a list, as `X-Forwarded-For` is one, the last address
 * counts: the nearest proxy has written it, those before it could be the caller's own invention. What is no address is of
 * one network, so that nobody gets a new one by a new name.
 */
export function networkOf(given: string): string {
  const before = known.get(given)
  if (before !== undefined) return before
  const network = makeNetwork(lastAddress(given))
  known.set(given, network)
  return network
}

/** Without a port, which some proxies write. */
function lastAddress(given: string): string {
  const last = given.slice(given.lastIndexOf(',') + 1).trim()
  return /^\[([^\]]+)\](?::\d+)?$/.exec(last)?.[1] ?? /^([\d.]+):\d+$/.exec(last)?.[1] ?? last
}

function makeNetwork(address: string): string {
  const inside = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (inside !== undefined) return inside
  const [plain = ''] = address.split('%')
  if (!isIPv6(plain)) return isIPv4(address) ? address : ''
  const [head = '', tail = ''] = plain.toLowerCase().split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === '' ? [] : tail.split(':')
  const zeros = plain.includes('::') ? Array.from({ length: 8 - first.length - last.length }, () => '0') : []
  return [...first, ...zeros, ...last]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/**
 * True when a page of another site makes this request: browsers say so, programs do not. At the agent's public address,
 * where it is known, only that origin is its own; behind a proxy a request does not say by which scheme it came.
 */
export function hasForeignOrigin(request: Request, publicUrl?: string): boolean {
  const origin = request.headers.get('origin')
  if (origin === null) return false
  if (!URL.canParse(origin)) return true
  const { host } = new URL(request.url)
  const own = publicUrl === undefined ? undefined : new URL(publicUrl)
  return own?.host === host ? new URL(origin).origin !== own.origin : new URL(origin).host !== host
}
