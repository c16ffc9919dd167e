import { createHash } from 'node:crypto'
import { envelopeWithFiles, type EnvelopeFiles } from '@cool-ai/beach-channel'
import { webhookHeaders, webhookIdOf, webhookKey } from '@cool-ai/beach-channel/standard-webhooks'
import {
  isBeachError,
  type Envelope,
  type Originator,
  type Principal,
  type Runtime,
  type SendOutcome,
  type Sessions,
} from '@cool-ai/beach-core'
import type { Hooks } from './hook.ts'
import type { SeenDeliveries } from './seen-deliveries.ts'

/** A `fetch` that goes to addresses which another party chose: its creator decides which ones it may reach. */
export type CallbackFetch = (url: string, init: RequestInit) => Promise<Response>

/** What to send to by a hook's callback, for callers that join an originator to a session, as a job does. */
export interface CallbackAddress {
  readonly hook: string
  readonly url: string
  readonly principal: Principal
}

/** An originator that gets answers by the callback of a hook. */
export function callbackOriginator({ hook, url, principal }: CallbackAddress): Originator {
  const place = createHash('sha256').update(url).digest('base64url').slice(0, 16)
  const id = `webhook:${hook}:${place}`
  return { id, transport: 'webhook', deliveryClass: 'buffered', principal, address: url, details: { hook } }
}

/** The hook of an originator's callback; undefined for one that has none. */
export function callbackHookOf({ transport, address, details }: Originator): string | undefined {
  if (transport !== 'webhook' || address === undefined) return undefined
  return typeof details?.hook === 'string' ? details.hook : undefined
}

export interface CallbackSenderOptions {
  readonly runtime: Runtime
  readonly sessions: Sessions
  readonly hooks: Hooks
  readonly seen: SeenDeliveries
  readonly fetch: CallbackFetch
  readonly files: EnvelopeFiles
}

/** Sends envelopes to the callbacks of hooks, signed by the Standard Webhooks scheme. */
export class CallbackSender {
  readonly #options: CallbackSenderOptions

  constructor(options: CallbackSenderOptions) {
    this.#options = options
  }

  async send(to: Originator, envelope: Envelope, key: string, signal: AbortSignal): Promise<SendOutcome> {
    const hook = callbackHookOf(to)
    const callback =
      hook !== undefined && Object.hasOwn(this.#options.hooks, hook) && this.#options.hooks[hook]?.callback
    if (!callback || to.address === undefined || hook === undefined) {
      return { status: 'refused', reason: 'There is no such callback any more.' }
    }
    const { runtime, fetch, files } = this.#options
    const body = JSON.stringify(await envelopeWithFiles(envelope, to, files))
    const timestamp = Math.floor(runtime.clock.now() / 1_000)
    const signed = webhookHeaders({ id: webhookIdOf(key), timestamp, body }, callback.secrets.map(webhookKey))
    const headers = { 'content-type': 'application/json', ...signed }
    try {
      const response = await fetch(to.address, { method: 'POST', headers, body, signal, redirect: 'manual' })
      await response.body?.cancel()
      if (response.ok) return { status: 'sent' }
      if (response.status === 410) return await this.#disable(hook, to, envelope.meta.sessionId)
      return { status: 'failed', reason: `The receiver answered ${response.status}.` }
    } catch (error) {
      runtime.logger.log('warn', 'a callback was not delivered', { hook, key, error })
      const reason = isBeachError(error) ? error.message : 'The receiver was not reached.'
      return { status: isBeachError(error, 'ADDRESS_REFUSED') ? 'refused' : 'failed', reason }
    }
  }

  /** The receiver wants nothing more: nothing is sent there again, in this session or in others. */
  async #disable(hook: string, to: Originator, session: string): Promise<SendOutcome> {
    const { runtime, seen, sessions } = this.#options
    runtime.logger.log('warn', 'a callback is disabled: its receiver answered 410', { hook, session })
    await seen.markGone(hook, to.address ?? '')
    await sessions.leave(session, to.id, operator(to))
    return { status: 'refused', reason: 'The receiver answered 410: it wants no more callbacks.' }
  }
}

/** A receiver may get answers of a session that it cannot see, as a job's receiver does. */
function operator({ principal }: Originator): Principal {
  return { kind: 'operator', id: 'webhook', tenant: principal.tenant }
}
