import { hash } from 'node:crypto'
import {
  BeachError,
  encodeId,
  isBeachError,
  partTypeRegistry,
  principalKey,
  systemRuntime,
  type ApprovalAnswer,
  type Channel,
  type Originator,
  type Part,
  type PartTypeRegistry,
  type Principal,
  type PushPolicy,
  type Runtime,
  type Sessions,
  type Store,
} from '@cool-ai/beach-core'
import { isApprovalAction } from '@cool-ai/beach-protocol'
import { Hono } from 'hono'
import { until } from '../a2a/until.ts'
import { guardedFetch, type GuardedFetch } from '../guarded-fetch/guarded-fetch.ts'
import { bodyLimits, parseJson } from '../http/json-body.ts'
import { readBytes } from '../http/raw-body.ts'
import { errorResponse, jsonResponse } from '../http/responses.ts'
import { linkedParts, type ArtifactLinkOf } from '../mcp/linked-parts.ts'
import { messageParts } from '../message-parts.ts'
import { decideApproval } from '../take-message.ts'
import { decisionIn } from './approval-reply.ts'
import { callbackHookOf, callbackOriginator, CallbackSender, type CallbackFetch } from './callback-sender.ts'
import { checkHooks } from './check-hooks.ts'
import { isInbound, type Delivery, type Hook, type Hooks, type InboundHook } from './hook.ts'
import { SeenDeliveries, type Seen } from './seen-deliveries.ts'
import { StatusLinks, type StatusPlace } from './status-links.ts'
import { awaitAnswer, currentAnswer, type TurnAnswer } from './turn-answer.ts'

export { approvalReply } from './approval-reply.ts'
export { callbackOriginator, type CallbackAddress, type CallbackFetch } from './callback-sender.ts'
export type {
  Callback,
  CallbackHook,
  Delivery,
  Hook,
  HookPrincipal,
  Hooks,
  InboundHook,
  SignedRequest,
  VerifiedDelivery,
  Verify,
} from './hook.ts'
export { github, standardWebhooks, stripe, type Secrets } from './verify.ts'

export interface WebhookChannelOptions {
  readonly hooks: Hooks
  /** The agent's store: which deliveries were taken, and which callbacks want nothing more. */
  readonly store: Store
  /** At least 32 bytes; the one that `createBeach` is given. Signs status URLs. */
  readonly secret: Uint8Array
  readonly runtime?: Runtime
  readonly partTypes?: PartTypeRegistry
  readonly tenant?: string
  /** Where others reach the agent; status URLs begin with it, and are paths without it. */
  readonly publicUrl?: string
  /** A link to an artifact of an answer. */
  readonly artifactLink?: ArtifactLinkOf
  /** How callbacks are sent; by a guarded fetch, which reaches public addresses only, when left out. */
  readonly fetch?: CallbackFetch
  /** How callbacks are tried again; by the schedule of Standard Webhooks when left out. */
  readonly push?: PushPolicy
}

const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes

/** When Standard Webhooks are tried again, after the attempt before. */
export const webhookSchedule: readonly number[] = [
  5 * seconds,
  5 * minutes,
  30 * minutes,
  2 * hours,
  5 * hours,
  10 * hours,
  14 * hours,
  20 * hours,
  24 * hours,
]

const usual = { timeoutMs: 8_000, bytes: 1024 * 1024 }
const mostWaiting = 500
const forgetEveryMs = 24 * hours

/** Programs' way in and out: signed payloads at `/webhooks/<name>`, answers as the reply, by a status URL or by callback. */
export function webhookChannel(options: WebhookChannelOptions): Channel {
  checkHooks(options.hooks)
  const server = new WebhookServer(options)
  return {
    transport: 'webhook',
    deliveryClass: 'buffered',
    paths: ['/webhooks/:name', '/webhooks/:name/status/:id'],
    start: async (sessions, signal) => server.start(sessions, signal),
    fetch: (request) => server.fetch(request),
    send: (to, envelope, key, signal) => server.sender().send(to, envelope, key, signal),
    reaches: (to) => {
      const hook = callbackHookOf(to)
      return hook !== undefined && Object.hasOwn(options.hooks, hook) && options.hooks[hook]?.callback !== undefined
    },
    push: options.push ?? { delaysMs: webhookSchedule },
  }
}

interface Started {
  readonly sessions: Sessions
  readonly ending: AbortSignal
  readonly sender: CallbackSender
}

/** A payload that has been found to be its sender's. */
interface Inbox {
  readonly name: string
  readonly hook: InboundHook
  readonly payload: unknown
  readonly delivery: Delivery
  readonly marks: readonly string[]
  readonly principal: Principal
}

class WebhookServer {
  readonly #options: WebhookChannelOptions
  readonly #runtime: Runtime
  readonly #tenant: string
  readonly #seen: SeenDeliveries
  readonly #links: StatusLinks
  readonly #app = new Hono()
  #started: Started | undefined
  #waiting = 0

  constructor(options: WebhookChannelOptions) {
    this.#options = options
    this.#runtime = options.runtime ?? systemRuntime()
    this.#tenant = options.tenant ?? 'default'
    const { secret, publicUrl, store } = options
    this.#seen = new SeenDeliveries(store, this.#runtime, this.#tenant)
    this.#links = new StatusLinks({ secret, publicUrl, clock: this.#runtime.clock })
    this.#routes()
  }

  start(sessions: Sessions, ending: AbortSignal): void {
    const { hooks, artifactLink } = this.#options
    const own: GuardedFetch | undefined =
      this.#options.fetch === undefined ? guardedFetch({ clock: this.#runtime.clock }) : undefined
    if (own !== undefined) ending.addEventListener('abort', () => void own.close(), { once: true })
    const fetch = this.#options.fetch ?? own ?? globalThis.fetch
    const world = { runtime: this.#runtime, sessions, hooks, seen: this.#seen, fetch, artifactLink }
    this.#started = { sessions, ending, sender: new CallbackSender(world) }
    this.#forget(ending)
  }

  sender(): CallbackSender {
    return this.#running().sender
  }

  async fetch(request: Request): Promise<Response> {
    return this.#app.fetch(request)
  }

  #routes(): void {
    this.#app.post('/webhooks/:name', ({ req }) => this.#receive(req.param('name'), req.raw))
    this.#app.get('/webhooks/:name/status/:id', ({ req }) => this.#status(req.param('name'), req.param('id')))
    this.#app.all('/webhooks/:name', () => {
      throw new BeachError('METHOD_NOT_ALLOWED', 'Use POST here.', { details: { allow: 'POST' } })
    })
    this.#app.all('/webhooks/:name/status/:id', () => {
      throw new BeachError('METHOD_NOT_ALLOWED', 'Use GET here.', { details: { allow: 'GET' } })
    })
    this.#app.onError((error) => {
      const response = errorResponse(error, this.#runtime.logger)
      // A signature is not something to log in with.
      response.headers.delete('www-authenticate')
      return response
    })
  }

  async #receive(name: string, request: Request): Promise<Response> {
    const { ending } = this.#running()
    if (ending.aborted) throw new BeachError('STORE_UNAVAILABLE', 'The agent is stopping. Send it again.')
    const inbox = await this.#read(name, request)
    const known = await this.#seen.find(name, inbox.marks)
    if (known !== undefined) return this.#again(known, inbox, request.signal)
    const { hook, payload, delivery } = inbox
    const authored = this.#asked(inbox, () => hook.parts(payload, delivery)) ?? []
    const decision = decisionIn(authored)
    if (decision !== undefined) return this.#decide(decision, undefined, inbox)
    const parts = messageParts(authored, this.#options.partTypes ?? partTypeRegistry)
    if (parts.length === 0) return new Response(null, { status: 204 })
    return this.#post(parts, inbox, request.signal)
  }

  async #read(name: string, request: Request): Promise<Inbox> {
    const hook = this.#inbound(name)
    const body = await readBytes(request, hook.bytes ?? usual.bytes)
    const { headers } = request
    const verified = await hook.verify({ body, headers, now: this.#runtime.clock.now() })
    if (verified === undefined) {
      throw new BeachError('UNAUTHENTICATED', 'The signature of this payload is missing, wrong or too old.')
    }
    requireJson(headers)
    const payload = parseJson(textOf(body), bodyLimits.depth)
    const delivery = { hook: name, id: verified.id, headers }
    const read = { name, hook, payload, delivery, marks: [verified.id, ...(verified.marks ?? [])] }
    return { ...read, principal: this.#principal(read) }
  }

  #principal(inbox: Omit<Inbox, 'principal'>): Principal {
    const { name, hook, payload, delivery } = inbox
    const { principal = { kind: 'user', id: `webhook:${name}` } as const } = hook
    const given = typeof principal === 'function' ? this.#asked(inbox, () => principal(payload, delivery)) : principal
    if (given === undefined) throw new BeachError('FORBIDDEN', 'Nobody is known who may send this payload.')
    return { ...given, tenant: this.#tenant }
  }

  async #post(parts: readonly Part[], inbox: Inbox, gone: AbortSignal): Promise<Response> {
    const { sessions } = this.#running()
    const { hook, principal, name, marks, delivery } = inbox
    const session = this.#sessionOf(inbox)
    if (parts.some(isApprovalAction)) {
      const decision = await sessions.decisionIn(session, parts, principal)
      if (decision !== undefined) return this.#decide(decision, session, inbox)
    }
    const from = await this.#originator(inbox, session)
    const message = { parts, from, dedupeKey: `webhook:${name}:${delivery.id}` }
    const { messageId, seq } = await sessions.post(session, message, principal, {
      ...(hook.approvers && { approvers: hook.approvers }),
    })
    const place = { session, messageId, seq }
    await this.#seen.remember(name, marks, place)
    return this.#reply(place, from, inbox, gone)
  }

  /** Whose decision it is follows from the hook; whether it counts, from the policy of the approval's session. */
  async #decide(decision: ApprovalAnswer, session: string | undefined, inbox: Inbox): Promise<Response> {
    const { sessions } = this.#running()
    const { approvalId } = decision
    await decideApproval(sessions, session, decision, inbox.principal)
    await this.#seen.remember(inbox.name, inbox.marks, { approvalId, decision: decision.decision })
    return decided({ approvalId, decision: decision.decision })
  }

  /** What came before gets the same answer, as far as that is there by now. */
  async #again(known: Seen, inbox: Inbox, gone: AbortSignal): Promise<Response> {
    if ('approvalId' in known) return decided(known)
    try {
      return await this.#reply(known, await this.#originator(inbox, known.session), inbox, gone)
    } catch (error) {
      if (!isBeachError(error, 'NOT_FOUND')) throw error
      return jsonResponse({ status: 'duplicate' })
    }
  }

  async #reply(place: StatusPlace, to: Originator, inbox: Inbox, gone: AbortSignal): Promise<Response> {
    const isCalledBack = to.address !== undefined
    const answer: TurnAnswer = isCalledBack ? { status: 'working' } : await this.#answer(place, to, inbox, gone)
    if (answer.status === 'settled') return jsonResponse(await this.#linked(answer, place, to))
    const { url, expiresAt } = this.#links.make(inbox.name, place)
    const shown = { ...(await this.#shown(answer, place, to)), statusUrl: url, expiresAt: new Date(expiresAt) }
    return jsonResponse(shown, 202, { location: url, 'retry-after': '5' })
  }

  async #answer(place: StatusPlace, to: Originator, { hook }: Inbox, gone: AbortSignal): Promise<TurnAnswer> {
    const { sessions, ending } = this.#running()
    if (this.#waiting >= mostWaiting) return { status: 'working' }
    const late = new AbortController()
    const cancel = this.#runtime.clock.timer(hook.timeoutMs ?? usual.timeoutMs, () => late.abort())
    const end = until(late.signal, ending, gone)
    this.#waiting++
    try {
      return await awaitAnswer(place, to, { sessions, runtime: this.#runtime }, end.signal)
    } finally {
      this.#waiting--
      cancel()
      end.now()
    }
  }

  async #status(name: string, id: string): Promise<Response> {
    this.#inbound(name)
    const place = this.#links.read(name, id)
    const { sessions } = this.#running()
    // The link is the credential: it is signed, and good for this answer only.
    const principal: Principal = { kind: 'operator', id: `webhook:${name}`, tenant: this.#tenant }
    const to = reader(name, principal)
    const answer = await currentAnswer(place, to, { sessions, runtime: this.#runtime })
    const headers: Record<string, string> = answer.status === 'settled' ? {} : { 'retry-after': '5' }
    return jsonResponse(await this.#shown(answer, place, to), 200, headers)
  }

  async #shown(answer: TurnAnswer, place: StatusPlace, to: Originator) {
    return 'envelope' in answer ? { ...answer, envelope: await this.#linked(answer, place, to) } : answer
  }

  async #linked(
    { envelope }: Extract<TurnAnswer, { status: 'settled' | 'suspended' }>,
    place: StatusPlace,
    to: Originator,
  ) {
    const { artifactLink } = this.#options
    const linkOf = artifactLink && ((id: string) => artifactLink(id, place.session, to.principal))
    return { ...envelope, parts: await linkedParts(envelope.parts, linkOf) }
  }

  /** The same key is the same conversation, of the same hook and principal only. */
  #sessionOf(inbox: Inbox): string {
    const { name, hook, payload, delivery, principal } = inbox
    const key = this.#asked(inbox, () => hook.session?.(payload, delivery))
    const thread = key === undefined ? ['delivery', delivery.id] : ['key', key]
    const text = JSON.stringify(['webhook', name, principal.tenant, principalKey(principal), ...thread])
    return `sess_${encodeId(hash('sha256', text, 'buffer').subarray(0, 16))}`
  }

  /** With an address when the answer is sent somewhere; without one it is the reply. */
  async #originator(inbox: Inbox, session: string): Promise<Originator> {
    const { name, hook, payload, delivery, principal } = inbox
    const { url } = hook.callback ?? {}
    const address = typeof url === 'function' ? this.#asked(inbox, () => url(payload, delivery)) : url
    if (address === undefined) return reader(name, principal)
    if (!isWebAddress(address)) throw new BeachError('BAD_REQUEST', 'A callback needs an http(s) address.')
    if (!(await this.#seen.isGone(name, address))) return callbackOriginator({ hook: name, url: address, principal })
    this.#runtime.logger.log('info', 'a callback is not used: its receiver has answered 410', { hook: name, session })
    return reader(name, principal)
  }

  /** What the application makes of a payload; one that it cannot read is the sender's mistake. */
  #asked<Value>({ name }: Pick<Inbox, 'name'>, ask: () => Value): Value {
    try {
      return ask()
    } catch (cause) {
      if (isBeachError(cause)) throw cause
      this.#runtime.logger.log('warn', 'a hook could not read a payload', { hook: name, error: cause })
      throw new BeachError('BAD_REQUEST', `The hook '${name}' cannot read this payload.`, { cause })
    }
  }

  #inbound(name: string): InboundHook {
    const { hooks } = this.#options
    const hook: Hook | undefined = Object.hasOwn(hooks, name) ? hooks[name] : undefined
    if (hook !== undefined && isInbound(hook)) return hook
    throw new BeachError('NOT_FOUND', 'There is no such hook.')
  }

  /** Removes, now and every day, what need not be remembered any longer. */
  #forget(ending: AbortSignal): void {
    if (ending.aborted) return
    const { logger, clock } = this.#runtime
    const all = Object.keys(this.#options.hooks).map((name) => this.#seen.forget(name))
    Promise.all(all).catch((error: unknown) => logger.log('warn', 'old deliveries were not forgotten', { error }))
    const cancel = clock.timer(forgetEveryMs, () => {
      ending.removeEventListener('abort', cancel)
      this.#forget(ending)
    })
    ending.addEventListener('abort', cancel, { once: true })
  }

  #running(): Started {
    if (this.#started === undefined) throw new BeachError('INTERNAL', 'The channel has not started yet.')
    return this.#started
  }
}

/** The sender of a payload, who waits for the reply. */
function reader(name: string, principal: Principal): Originator {
  return { id: `webhook:${name}`, transport: 'webhook', deliveryClass: 'buffered', principal, details: { hook: name } }
}

function decided(answer: Extract<Seen, { approvalId: string }>): Response {
  return jsonResponse({ status: 'decided', ...answer })
}

function isWebAddress(url: string): boolean {
  return url.length <= 2_000 && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

function requireJson(headers: Headers): void {
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type)) return
  throw new BeachError('UNSUPPORTED_MEDIA_TYPE', 'Send the payload as `Content-Type: application/json`.')
}

function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (cause) {
    throw new BeachError('BAD_REQUEST', 'The body could not be read as UTF-8 text.', { cause })
  }
}
