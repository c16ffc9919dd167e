import { inContext, started, type ContextOptions } from '@cool-ai/beach-channel'
import type { Channel, PushPolicy } from '@cool-ai/beach-core'
import { callbackHookOf, type CallbackFetch } from './callback-sender.ts'
import { checkHooks, type Hooks } from './hook.ts'
import { statusPath, WebhookServer } from './webhook-server.ts'

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

/** Which hooks there are. */
export interface WebhookChannelOptions extends ContextOptions {
  readonly hooks: Hooks
  /** How many bytes of files are in one envelope, besides their links. 256 kB when left out, 0 for links only. */
  readonly attachBytes?: number | undefined
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

/**
 * The channel of programs: signed payloads at `/webhooks/<name>`, answers as the reply, by a status URL or by callback.
 */
export function webhooks(options: WebhookChannelOptions): Channel {
  const { hooks } = options
  checkHooks(hooks)
  let server: WebhookServer | undefined
  return {
    transport: 'webhook',
    deliveryClass: 'buffered',
    get routes() {
      return started(server).routes
    },
    secretPaths: [statusPath],
    openapi: async () => (await import('./webhook-openapi.ts')).webhookOpenApi(statusPath),
    async start(context) {
      server = new WebhookServer(inContext(options, context))
    },
    send: async (to, envelope, key, signal) => started(server).sender.send(to, envelope, key, signal),
    reaches: (to) => {
      const hook = callbackHookOf(to)
      return hook !== undefined && Object.hasOwn(hooks, hook) && hooks[hook]?.callback !== undefined
    },
    push: options.push ?? { delaysMs: webhookSchedule },
  }
}

/** @deprecated Use `webhooks`. */
export const webhookChannel = webhooks
