import { hash } from 'node:crypto'
import { bodyLimits, parseJson, readBytes } from '@cool-ai/beach-channel/http'
import {
  BeachError,
  isBeachError,
  type AuthoredPart,
  type Originator,
  type Principal,
  type Runtime,
} from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { encodeId } from '@cool-ai/beach-core/runtime'
import { callbackOriginator } from './callback-sender.ts'
import type { Delivery, InboundHook } from './hook.ts'
import type { SeenDeliveries } from './seen-deliveries.ts'

/** A payload whose signature was checked. */
export interface Inbox {
  readonly name: string
  readonly hook: InboundHook
  readonly payload: unknown
  readonly delivery: Delivery
  /** All by which a repetition is recognised. */
  readonly marks: readonly string[]
  readonly principal: Principal
}

export interface InboxesOptions {
  readonly runtime: Runtime
  readonly tenant: string
  readonly seen: SeenDeliveries
}

const defaultMaxBytes = 1024 * 1024

/** Reads payloads, and the parts that the application makes of them. */
export class Inboxes {
  readonly #options: InboxesOptions

  constructor(options: InboxesOptions) {
    this.#options = options
  }

  /** Checks size and signature before anything else is done with a request. */
  async read(name: string, hook: InboundHook, request: Request): Promise<Inbox> {
    const { headers } = request
    const { clock } = this.#options.runtime
    const body = await readBytes(request, hook.bytes ?? defaultMaxBytes, { clock })
    const verified = await hook.verify({ body, headers, now: clock.now() })
    if (verified === undefined) {
      throw new BeachError('UNAUTHENTICATED', 'The signature of this payload is missing, wrong or too old.')
    }
    requireJson(headers)
    const payload = parseJson(textOf(body), bodyLimits.depth)
    const delivery = { hook: name, id: verified.id, headers }
    const read = { name, hook, payload, delivery, marks: [verified.id, ...(verified.marks ?? [])] }
    return { ...read, principal: this.#principal(read) }
  }

  parts(inbox: Inbox): readonly AuthoredPart[] {
    const { hook, payload, delivery } = inbox
    return this.#requested(inbox, () => hook.parts(payload, delivery)) ?? []
  }

  /** The same key is the same conversation, of the same hook and principal only. */
  session(inbox: Inbox): string {
    const { name, hook, payload, delivery, principal } = inbox
    const key = this.#requested(inbox, () => hook.session?.(payload, delivery))
    const thread = key === undefined ? ['delivery', delivery.id] : ['key', key]
    const text = JSON.stringify(['webhook', name, principal.tenant, principalKey(principal), ...thread])
    return `sess_${encodeId(hash('sha256', text, 'buffer').subarray(0, 16))}`
  }

  /** With an address when the answer is sent somewhere; without one it is the reply. */
  async originator(inbox: Inbox): Promise<Originator> {
    const { name, hook, payload, delivery, principal } = inbox
    const { url } = hook.callback ?? {}
    const address = typeof url === 'function' ? this.#requested(inbox, () => url(payload, delivery)) : url
    if (address === undefined) return reader(name, principal)
    if (!isWebAddress(address)) throw new BeachError('BAD_REQUEST', 'A callback needs an http(s) address.')
    const { seen, runtime } = this.#options
    if (!(await seen.isGone(name, address))) return callbackOriginator({ hook: name, url: address, principal })
    runtime.logger.log('info', 'a callback is not used: its receiver has answered 410', { hook: name })
    return reader(name, principal)
  }

  #principal(inbox: Omit<Inbox, 'principal'>): Principal {
    const { name, hook, payload, delivery } = inbox
    const { principal = { kind: 'user', id: `webhook:${name}` } as const } = hook
    const given =
      typeof principal === 'function' ? this.#requested(inbox, () => principal(payload, delivery)) : principal
    if (given === undefined) throw new BeachError('FORBIDDEN', 'The sender of this payload is unknown.')
    return { ...given, tenant: this.#options.tenant }
  }

  /** The parts that the application makes of a payload; one that it cannot read is the sender's mistake. */
  #requested<Value>({ name }: Pick<Inbox, 'name'>, ask: () => Value): Value {
    try {
      return ask()
    } catch (cause) {
      if (isBeachError(cause)) throw cause
      this.#options.runtime.logger.log('warn', 'a hook could not read a payload', { hook: name, error: cause })
      throw new BeachError('BAD_REQUEST', `The hook '${name}' cannot read this payload.`, { cause })
    }
  }
}

/** The sender of payloads, who waits for replies. */
export function reader(name: string, principal: Principal): Originator {
  return { id: `webhook:${name}`, transport: 'webhook', deliveryClass: 'buffered', principal, details: { hook: name } }
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
