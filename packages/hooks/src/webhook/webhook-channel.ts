import type { ArtifactLinkOf } from '@cool-ai/beach-channel'
import type { Channel, PartTypeRegistry, PushPolicy, Runtime, Store } from '@cool-ai/beach-core'
import type { Secret } from '@cool-ai/beach-core/tokens'
import { callbackHookOf, type CallbackFetch } from './callback-sender.ts'
import { checkHooks } from './check-hooks.ts'
import type { Hooks } from './hook.ts'
import { WebhookServer } from './webhook-server.ts'

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
  readonly secret: Secret
  readonly runtime?: Runtime | undefined
  readonly partTypes?: PartTypeRegistry | undefined
  readonly tenant?: string | undefined
  /** Where others reach the agent; status URLs begin with it, and are paths without it. */
  readonly publicUrl?: string | undefined
  /** A link to an artifact of an answer. */
  readonly artifactLink?: ArtifactLinkOf | undefined
  /** How callbacks are sent; by a guarded fetch, which reaches public addresses only, when left out. */
  readonly fetch?: CallbackFetch | undefined
  /** How callbacks are tried again; by the schedule of Standard Webhooks when left out. */
  readonly push?: PushPolicy | undefined
}

const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes

/** When Standard Webhooks are tried again, each after the attempt before. */
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

/** Programs' way in and out: signed payloads at `/webhooks/<name>`, answers as the reply, by a status URL or by callback. */
export function webhookChannel(options: WebhookChannelOptions): Channel {
  const { hooks } = options
  checkHooks(hooks)
  const server = new WebhookServer(options)
  return {
    transport: 'webhook',
    deliveryClass: 'buffered',
    paths: ['/webhooks/:name', '/webhooks/:name/status/:id'],
    secretPaths: ['/webhooks/:name/status/:id'],
    start: async (sessions, signal) => server.start(sessions, signal),
    fetch: (request) => server.fetch(request),
    send: (to, envelope, key, signal) => server.sender().send(to, envelope, key, signal),
    reaches: (to) => {
      const hook = callbackHookOf(to)
      return hook !== undefined && Object.hasOwn(hooks, hook) && hooks[hook]?.callback !== undefined
    },
    push: options.push ?? { delaysMs: webhookSchedule },
  }
}
