import { createHash } from 'node:crypto'
import { StreamResponse, type Task } from '@a2a-js/sdk'
import { V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server'
import { webhookHeaders, webhookIdOf } from '@cool-ai/beach-channel/standard-webhooks'
import {
  isBeachError,
  type Envelope,
  type Originator,
  type Runtime,
  type SendOutcome,
  type Sessions,
} from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { markOf } from './a2a-mark.ts'
import type { AgentKey } from './agent-key.ts'
import { pushDetailsOf, type PushDetails } from './push-configs.ts'
import { placeOf, type TaskStart } from './task-id.ts'
import type { TaskReading } from './task-reading.ts'
import { toTask } from './to-task.ts'

/** A `fetch` that goes to addresses which another party chose: its creator decides which ones it may reach. */
export interface PushFetch {
  (url: string, init: RequestInit): Promise<Response>
  /** Throws for an address that it would not reach, as far as that can be seen, so that no request is made in vain. */
  check?(url: URL): void
}

interface PushSenderOptions {
  readonly runtime: Runtime
  readonly sessions: Sessions
  readonly reading: TaskReading
  readonly fetch: PushFetch
  /** What the agent signs with, so that receivers need no secret to know whom a notification is from. */
  readonly key?: AgentKey | undefined
}

interface Notification {
  readonly address: string
  readonly id: string
  readonly body: string
  readonly taskId: string
}

/** Where every notification of an agent with a key has its signature; `Authorization` is the receiver's to ask for. */
const signatureHeader = 'x-beach-signature'

const legacy = new V03PushNotificationSerializer()

/** Pushes a task to the address of its config, whenever something of the task is due to be delivered there. */
export class PushSender {
  readonly #options: PushSenderOptions

  constructor(options: PushSenderOptions) {
    this.#options = options
  }

  async send(to: Originator, envelope: Envelope, key: string, signal: AbortSignal): Promise<SendOutcome> {
    const details = pushDetailsOf(to)
    if (details === undefined || to.address === undefined) return { status: 'refused', reason: 'It has no address.' }
    const { sessionId, turnId } = envelope.meta
    const place = await this.#placeOf(details, sessionId, to)
    if (place === undefined) return { status: 'sent' }
    const { reading } = this.#options
    const projection = await reading.project(place, to)
    // The originator hears of everything in the session; its config is for one task.
    if (!projection.turns.has(turnId)) return { status: 'sent' }
    const task = await toTask(projection, reading.reader(place.session, to, projection))
    return this.#post(to.address, task, details, key, signal)
  }

  /** The task's place; found by its first message in the moment before its id is known. */
  async #placeOf(
    { taskId, messageId, key }: PushDetails,
    session: string,
    to: Originator,
  ): Promise<TaskStart | undefined> {
    const inContext = key === undefined ? {} : { key }
    if (taskId !== undefined) return { session, seq: placeOf(taskId).seq, ...inContext }
    for await (const frame of this.#options.sessions.history(session, to)) {
      if (frame.kind !== 'part' || frame.role !== 'user' || frame.cursor === undefined) continue
      if (markOf(frame.part)?.messageId === messageId) return { session, seq: Number(frame.cursor), ...inContext }
    }
    return undefined
  }

  async #post(
    address: string,
    task: Task,
    details: PushDetails,
    key: string,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    const { body, contentType } = written(task, details)
    const { fetch, runtime } = this.#options
    const id = webhookIdOf(key)
    try {
      const said = await this.#said({ address, id, body, taskId: task.id })
      const headers = {
        'content-type': contentType,
        ...credentials(details, said),
        ...defined({ [signatureHeader]: said }),
        ...this.#signature(details, id, body),
      }
      const response = await fetch(address, { method: 'POST', headers, body, signal, redirect: 'error' })
      await response.body?.cancel()
      if (response.ok) return { status: 'sent' }
      const reason = `The receiver answered ${response.status}.`
      return { status: isFinal(response.status) ? 'refused' : 'failed', reason }
    } catch (error) {
      const isRefused = isBeachError(error) && !error.retryable
      runtime.logger.log('warn', 'a push notification was not delivered', { key, error })
      return {
        status: isRefused ? 'refused' : 'failed',
        reason: isRefused ? error.message : 'The receiver was not reached.',
      }
    }
  }

  /** What the agent says of a notification in its own name, with its signature; nothing when it has no key. */
  async #said({ address, id, body, taskId }: Notification): Promise<string | undefined> {
    const { key } = this.#options
    if (key === undefined) return undefined
    const bodyHash = createHash('sha256').update(body).digest('hex')
    return key.sign({ aud: new URL(address).origin, jti: id, taskId, request_body_sha256: bodyHash })
  }

  /** Signs by the Standard Webhooks scheme with the config's token, which only the receiver and we know. */
  #signature({ token }: PushDetails, id: string, body: string): Record<string, string> {
    const timestamp = Math.floor(this.#options.runtime.clock.now() / 1_000)
    return webhookHeaders({ id, timestamp, body }, token === undefined ? [] : [token])
  }
}

/** The config's credentials; what the agent says itself, where it wants a bearer and has given none. */
function credentials({ token, authentication }: PushDetails, said: string | undefined): Record<string, string> {
  const { scheme = '', credentials: given = '' } = authentication ?? {}
  const known = token === undefined ? undefined : { 'x-a2a-notification-token': token }
  if (given !== '') return { ...known, authorization: `${scheme} ${given}` }
  if (said === undefined || scheme.toLowerCase() !== 'bearer') return { ...known }
  return { ...known, authorization: `Bearer ${said}` }
}

function written(task: Task, { version }: PushDetails): { readonly body: string; readonly contentType: string } {
  const response: StreamResponse = { payload: { $case: 'task', value: task } }
  if (version === '0.3') return legacy.serialize(response, task)
  return { body: JSON.stringify(StreamResponse.toJSON(response)), contentType: 'application/a2a+json' }
}

/** Statuses after which trying again cannot help. */
function isFinal(status: number): boolean {
  return status === 410 || status === 401 || status === 403 || status === 404
}
