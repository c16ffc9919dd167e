import { webhookKey } from '@cool-ai/beach-channel/standard-webhooks'
import { BeachError, type Approver, type AuthoredPart, type Principal } from '@cool-ai/beach-core'

/** A request as it came, for the signature check. */
export interface SignedRequest {
  readonly body: Uint8Array
  readonly headers: Headers
  readonly now: number
}

/** A request with a valid signature. */
export interface VerifiedDelivery {
  /** The sender's id of it: the same whenever it is sent again. */
  readonly id: string
  /** Further marks by which a repetition is recognised. */
  readonly marks?: readonly string[] | undefined
}

/** Checks a signature over the raw bytes; undefined when it is missing, wrong or too old. */
export type Verify = (request: SignedRequest) => VerifiedDelivery | undefined | Promise<VerifiedDelivery | undefined>

/** What else there is to know of a payload. */
export interface Delivery {
  readonly hook: string
  readonly id: string
  readonly headers: Headers
}

/** The principal that a hook speaks for; its tenant is the agent's. */
export type HookPrincipal = Omit<Principal, 'tenant'>

/** Where answers are sent to, and what they are signed with. */
export interface Callback {
  /** An address, or how to find it in a payload; undefined for a payload that names none. */
  readonly url: string | ((payload: unknown, delivery: Delivery) => string | undefined)
  /** Secrets of Standard Webhooks, `whsec_…`; several while the receiver changes from one to the next. */
  readonly secrets: readonly string[]
}

/** A hook that takes payloads at `/webhooks/<name>`. */
export interface InboundHook {
  readonly verify: Verify
  /**
   * The parts that a payload becomes; none for one that is of no interest. An `approval-response` part, such as
   * `approvalReply` makes, is a decision of the hook's principal.
   */
  readonly parts: (payload: unknown, delivery: Delivery) => readonly AuthoredPart[] | undefined
  /** The key of the conversation that a payload belongs to; each has one of its own without it. */
  readonly session?: ((payload: unknown, delivery: Delivery) => string | undefined) | undefined
  /**
   * The principal of the hook: the user `webhook:<name>` when left out. Undefined for a payload without a permitted
   * sender.
   */
  readonly principal?: HookPrincipal | ((payload: unknown, delivery: Delivery) => HookPrincipal | undefined) | undefined
  /** Who may decide approvals of the hook's sessions; the agent's own policy when left out. */
  readonly approvers?: readonly Approver[] | undefined
  /** With it answers are sent there, and requests get their reply at once. */
  readonly callback?: Callback | undefined
  /** How long a request waits for its answer before it gets 202; 8 seconds when left out. */
  readonly timeoutMs?: number | undefined
  /** The largest payload; 1 MB when left out. */
  readonly bytes?: number | undefined
}

/** A hook that only sends, to originators that name it. */
export interface CallbackHook {
  readonly callback: Callback
}

/** A named endpoint for one program's payloads, or one that only calls back. */
export type Hook = InboundHook | CallbackHook

/** Hooks by their names. */
export type Hooks = Readonly<Record<string, Hook>>

export function isInbound(hook: Hook): hook is InboundHook {
  return 'verify' in hook
}

/** Throws what is wrong with hooks before the first payload arrives. */
export function checkHooks(hooks: Hooks): void {
  for (const [name, hook] of Object.entries(hooks)) {
    const wrong = (message: string) => new BeachError('INVALID_CONFIGURATION', `The hook '${name}' ${message}`)
    if (!/^[\w.-]{1,100}$/.test(name)) throw wrong('needs a name of letters, digits, dots, dashes and underscores.')
    const { callback } = hook
    if (callback === undefined && !isInbound(hook)) throw wrong('neither takes payloads nor sends any.')
    if (callback !== undefined && callback.secrets.length === 0) throw wrong('needs a secret to sign callbacks with.')
    callback?.secrets.forEach(webhookKey)
    if (isInbound(hook) && (typeof hook.verify !== 'function' || typeof hook.parts !== 'function')) {
      throw wrong('needs `verify`, such as standardWebhooks({ secrets }), and `parts`.')
    }
    if (isInbound(hook) && !(Math.min(hook.timeoutMs ?? 1, hook.bytes ?? 1) > 0)) {
      throw wrong('needs a timeoutMs and bytes above 0.')
    }
  }
}
