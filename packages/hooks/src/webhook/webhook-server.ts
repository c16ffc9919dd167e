import { messageParts, requireDecided, takenBody, type InContext } from '@cool-ai/beach-channel'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { errorResponse, jsonResponse } from '@cool-ai/beach-channel/http'
import { BeachError, type Part, type Route } from '@cool-ai/beach-core'
import { ifFound } from '@cool-ai/beach-core/runtime'
import type { ApprovalAnswer, Decided } from '@cool-ai/beach-core/ports'
import { approvalAnswer } from './approval-reply.ts'
import { CallbackSender } from './callback-sender.ts'
import { isInbound, type InboundHook } from './hook.ts'
import { Inboxes, type Inbox } from './inbox.ts'
import { Replies } from './replies.ts'
import { SeenDeliveries, type Seen } from './seen-deliveries.ts'
import { StatusLinks } from './status-links.ts'
import type { WebhookChannelOptions } from './webhook-channel.ts'

/** Where a caller asks for the answer to a payload; it has a signed link to it. */
export const statusPath = '/webhooks/:name/status/:id'
const forgetEveryMs = 24 * 60 * 60 * 1_000

/** Takes payloads in, each once. */
export class WebhookServer {
  readonly sender: CallbackSender
  readonly #options: InContext<WebhookChannelOptions>
  readonly #seen: SeenDeliveries
  readonly #inboxes: Inboxes
  readonly #replies: Replies

  constructor(options: InContext<WebhookChannelOptions>) {
    const { runtime, tenant, secret, publicUrl, store, sessions, hooks, signal: ending } = options
    const { artifactLink, artifacts, partTypes, attachBytes } = options
    const files = { artifactLink, artifacts, partTypes, attachBytes }
    const seen = new SeenDeliveries(store, runtime, tenant)
    const links = new StatusLinks({ secret, publicUrl, clock: runtime.clock })
    const fetch = options.fetch ?? this.#guarded(options)
    this.#options = options
    this.#seen = seen
    this.#inboxes = new Inboxes({ runtime, tenant, seen })
    this.#replies = new Replies({ runtime, sessions, ending, tenant, links, files })
    this.sender = new CallbackSender({ runtime, sessions, hooks, seen, fetch, files })
    this.#forget()
  }

  get routes(): readonly Route[] {
    return [
      {
        method: 'POST',
        path: '/webhooks/:name',
        answer: (request, { name = '' }) => this.#answer(this.#receive(name, request)),
      },
      {
        method: 'GET',
        path: statusPath,
        answer: (_, { name = '', id = '' }) => this.#answer(this.#status(name, id)),
      },
    ]
  }

  async #answer(response: Promise<Response>): Promise<Response> {
    try {
      return await response
    } catch (error) {
      const refusal = errorResponse(error, this.#options.runtime)
      // A signature is no login.
      refusal.headers.delete('www-authenticate')
      return refusal
    }
  }

  async #receive(name: string, request: Request): Promise<Response> {
    if (this.#options.signal.aborted) throw new BeachError('STORE_UNAVAILABLE', 'The agent is stopping. Send it again.')
    const inbox = await this.#inboxes.read(name, this.#inbound(name), request)
    const known = await this.#seen.find(name, inbox.marks)
    if (known !== undefined) return this.#again(known, inbox, request.signal)
    const authored = this.#inboxes.parts(inbox)
    const answer = approvalAnswer(authored)
    if (answer !== undefined) return this.#decide(answer, inbox)
    const parts = messageParts(authored, this.#options.partTypes)
    return parts.length === 0 ? new Response(null, { status: 204 }) : this.#take(parts, inbox, request.signal)
  }

  async #take(parts: readonly Part[], inbox: Inbox, gone: AbortSignal): Promise<Response> {
    const { sessions } = this.#options
    const { hook, principal, name, marks, delivery } = inbox
    const session = this.#inboxes.session(inbox)
    const from = await this.#inboxes.originator(inbox)
    const message = { parts, from, dedupeKey: `webhook:${name}:${delivery.id}` }
    const taken = await sessions.take(session, message, principal, { opening: { approvers: hook.approvers } })
    if (taken.kind === 'decided') return this.#decided(taken.answer, taken.decided, inbox)
    if (taken.kind === 'handled') {
      await this.#seen.remember(name, marks, { seq: taken.reply.seq })
      return jsonResponse(takenBody(taken), 202)
    }
    const { messageId, seq } = taken.posted
    const place = { session, messageId, seq }
    // Only now: a process that dies before this finds the message in the log.
    await this.#seen.remember(name, marks, place)
    return this.#replies.reply(place, from, inbox, gone)
  }

  /** Whose decision it is follows from the hook; whether it counts, from the policy of the approval's session. */
  async #decide({ approvalId, ...decision }: ApprovalAnswer, inbox: Inbox): Promise<Response> {
    const made = { ...decision, via: 'webhook' }
    const decided = await this.#options.sessions.decide(approvalId, made, inbox.principal)
    return this.#decided({ approvalId, ...decision }, decided, inbox)
  }

  async #decided({ approvalId, decision }: ApprovalAnswer, decided: Decided, inbox: Inbox): Promise<Response> {
    requireDecided(decided)
    await this.#seen.remember(inbox.name, inbox.marks, { approvalId, decision })
    return jsonResponse({ status: 'decided', approvalId, decision })
  }

  /** A repetition gets the same answer, as far as that exists by now. */
  async #again(known: Seen, inbox: Inbox, gone: AbortSignal): Promise<Response> {
    if ('approvalId' in known) return jsonResponse({ status: 'decided', ...known })
    if (!('messageId' in known)) return jsonResponse({ status: 'duplicate' })
    const originator = await this.#inboxes.originator(inbox)
    const reply = await ifFound(this.#replies.reply(known, originator, inbox, gone))
    // Without a reply the session has been erased since.
    return reply ?? jsonResponse({ status: 'duplicate' })
  }

  async #status(name: string, id: string): Promise<Response> {
    this.#inbound(name)
    return this.#replies.status(name, id)
  }

  #inbound(name: string): InboundHook {
    const { hooks } = this.#options
    const hook = Object.hasOwn(hooks, name) ? hooks[name] : undefined
    if (hook !== undefined && isInbound(hook)) return hook
    throw new BeachError('NOT_FOUND', 'There is no such hook.')
  }

  /** The way to public addresses, which ends with the channel. */
  #guarded({ runtime, signal }: InContext<WebhookChannelOptions>) {
    const fetch = guardedFetch({ clock: runtime.clock })
    signal.addEventListener('abort', () => void fetch.close(), { once: true })
    return (url: string, init: RequestInit) => fetch(url, init)
  }

  /** Deletes, now and every day, what need not be remembered any longer. */
  #forget(): void {
    const { runtime, hooks, signal } = this.#options
    if (signal.aborted) return
    const { logger, clock } = runtime
    const all = Object.keys(hooks).map((name) => this.#seen.forget(name))
    Promise.all(all).catch((error: unknown) => logger.log('warn', 'old deliveries were not forgotten', { error }))
    const cancel = clock.timer(forgetEveryMs, () => {
      signal.removeEventListener('abort', cancel)
      this.#forget()
    })
    signal.addEventListener('abort', cancel, { once: true })
  }
}
