import { createHash, createHmac } from 'node:crypto'
import { isSame, isWebhookSignature, webhookKey, webhookToleranceMs } from '@cool-ai/beach-channel/standard-webhooks'
import { BeachError } from '@cool-ai/beach-core'
import type { Verify } from './hook.ts'

/** The secrets that count; several while the sender changes from one to the next. */
export interface Secrets {
  readonly secrets: readonly string[]
}

const maxIdLength = 300
const maxSignatures = 20

/** Standard Webhooks: `webhook-id`, `webhook-timestamp` within five minutes, `webhook-signature`. */
export function standardWebhooks(options: Secrets): Verify {
  const keys = checked(options).map(webhookKey)
  return ({ body, headers, now }) => {
    const id = headers.get('webhook-id') ?? ''
    const timestamp = secondsOf(headers.get('webhook-timestamp'))
    if (!isId(id) || timestamp === undefined || !isRecent(timestamp, now)) return undefined
    return isWebhookSignature(headers.get('webhook-signature') ?? '', { id, timestamp, body }, keys)
      ? { id }
      : undefined
  }
}

/**
 * GitHub: `X-Hub-Signature-256`. Only the body is signed, so a copy with another `X-GitHub-Delivery` is recognised by
 * the body itself.
 */
export function github(options: Secrets): Verify {
  const keys = checked(options)
  return ({ body, headers }) => {
    const delivery = headers.get('x-github-delivery') ?? ''
    const given = /^sha256=([0-9a-f]{64})$/.exec(headers.get('x-hub-signature-256') ?? '')?.[1]
    if (given === undefined || !isId(delivery)) return undefined
    const signature = Buffer.from(given, 'hex')
    const expected = keys.map((key) => createHmac('sha256', key).update(body).digest())
    if (!anySame([signature], expected)) return undefined
    return { id: createHash('sha256').update(body).digest('base64url'), marks: [delivery] }
  }
}

/** Stripe: `Stripe-Signature` with a time within five minutes; repetitions are recognised by the event's own id. */
export function stripe(options: Secrets): Verify {
  const keys = checked(options)
  return ({ body, headers, now }) => {
    const fields = (headers.get('stripe-signature') ?? '').split(',', maxSignatures).map((field) => field.split('=', 2))
    const [time, ...others] = fields.filter(([name]) => name === 't')
    const timestamp = others.length === 0 ? secondsOf(time?.[1] ?? null) : undefined
    if (timestamp === undefined || !isRecent(timestamp, now)) return undefined
    const given = fields.flatMap(([name, value = '']) => {
      return name === 'v1' && /^[0-9a-f]{64}$/.test(value) ? [Buffer.from(value, 'hex')] : []
    })
    const expected = keys.map((key) => createHmac('sha256', key).update(`${timestamp}.`).update(body).digest())
    if (!anySame(given, expected)) return undefined
    const id = eventId(body)
    return id === undefined ? undefined : { id }
  }
}

function checked({ secrets }: Secrets): readonly string[] {
  if (secrets.length > 0 && secrets.every((secret) => typeof secret === 'string' && secret.length >= 8)) return secrets
  throw new BeachError(
    'INVALID_CONFIGURATION',
    'A hook needs the secret that its sender signs with, of at least 8 characters. Is its environment variable set?',
  )
}

function isId(id: string): boolean {
  return id !== '' && id.length <= maxIdLength
}

function secondsOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : undefined
}

function isRecent(seconds: number, now: number): boolean {
  return Math.abs(seconds * 1_000 - now) <= webhookToleranceMs
}

/** All are compared, so that the time does not tell which one it was. */
function anySame(given: readonly Uint8Array[], expected: readonly Uint8Array[]): boolean {
  let found = false
  for (const one of given) for (const other of expected) found = isSame(one, other) || found
  return found
}

/** Read only after the signature was found valid. */
function eventId(body: Uint8Array): string | undefined {
  try {
    const event: unknown = JSON.parse(Buffer.from(body).toString('utf8'))
    const id = typeof event === 'object' && event !== null && 'id' in event ? event.id : undefined
    return typeof id === 'string' && isId(id) ? id : undefined
  } catch {
    return undefined
  }
}
