import { createHmac, timingSafeEqual } from 'node:crypto'
import { BeachError } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'

/** What is signed by the Standard Webhooks scheme. */
export interface WebhookContent {
  readonly id: string
  /** In whole seconds. */
  readonly timestamp: number
  readonly body: string | Uint8Array
}

/** How far a timestamp may be from now, to either side. */
export const webhookToleranceMs = 5 * 60 * 1_000

const prefix = 'whsec_'
const minBytes = 24

/** The key behind a secret as Standard Webhooks writes it: base64, with `whsec_` before it or without. */
export function webhookKey(secret: string): Uint8Array {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret
  const key = Buffer.from(text, 'base64')
  const isBase64 = key.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '')
  if (isBase64 && key.length >= minBytes) return key
  throw new BeachError(
    'INVALID_CONFIGURATION',
    `A secret of Standard Webhooks is whsec_ and at least ${minBytes} random bytes in base64.`,
  )
}

/** The value of `webhook-signature`: one signature for each key, so that receivers can change theirs in between. */
function webhookSignature(content: WebhookContent, keys: readonly (Uint8Array | string)[]): string {
  return keys.map((key) => `v1,${digestOf(content, key).toString('base64')}`).join(' ')
}

/** The headers that go with a signed body. */
export function webhookHeaders(content: WebhookContent, keys: readonly (Uint8Array | string)[]) {
  return defined({
    'webhook-id': content.id,
    'webhook-timestamp': String(content.timestamp),
    'webhook-signature': keys.length > 0 ? webhookSignature(content, keys) : undefined,
  })
}

/** True when one of the signatures in the header is by one of the keys. */
export function isWebhookSignature(header: string, content: WebhookContent, keys: readonly Uint8Array[]): boolean {
  const expected = keys.map((key) => digestOf(content, key))
  let isSigned = false
  for (const entry of header.split(' ', maxSignatures)) {
    const [version, signature = ''] = entry.split(',', 2)
    if (version !== 'v1') continue
    const given = Buffer.from(signature, 'base64')
    for (const digest of expected) isSigned = isSame(given, digest) || isSigned
  }
  return isSigned
}

const maxSignatures = 20

/** The id of a delivery: the same for each attempt, and nothing can be learnt from it. */
export function webhookIdOf(deliveryKey: string): string {
  return createHmac('sha256', 'webhook-id').update(deliveryKey).digest('base64url')
}

/** Compares in constant time. */
export function isSame(given: Uint8Array, expected: Uint8Array): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function digestOf({ id, timestamp, body }: WebhookContent, key: Uint8Array | string): Buffer {
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
}
