import type { SendMessageRequest, TaskPushNotificationConfig } from '@a2a-js/sdk'
import { PushNotificationNotSupportedError } from '@a2a-js/sdk/errors'
import { BeachError, isBeachError, type Originator, type Runtime, type Sessions } from '@cool-ai/beach-core'
import { contentHash, defined, ifFound } from '@cool-ai/beach-core/runtime'
import * as z from 'zod'
import { originatorOf, understood, type Caller, type Understood } from './caller.ts'
import { noSuchTask, placeOf } from './task-id.ts'

const maxLength = 2_000
const detailsSchema = z.object({
  configId: z.string(),
  /** The caller's message that begins the task, as long as its id is not known. */
  messageId: z.string().exactOptional(),
  taskId: z.string().exactOptional(),
  /** What a guest knows the context by, of which the task is. */
  key: z.string().exactOptional(),
  version: z.enum(['1.0', '0.3']),
  token: z.string().exactOptional(),
  authentication: z.object({ scheme: z.string(), credentials: z.string() }).exactOptional(),
})

/** What is kept of a push notification config with the originator that it is. */
export type PushDetails = z.infer<typeof detailsSchema>

/** The details of an originator that is pushed to; undefined for one that is not. */
export function pushDetailsOf({ transport, address, details }: Originator): PushDetails | undefined {
  if (transport !== 'a2a' || address === undefined) return undefined
  return detailsSchema.safeParse(details).data
}

interface JoinedConfig {
  became(taskId: string): Promise<void>
  drop(): Promise<void>
}

export interface PushConfigsOptions {
  readonly sessions: Sessions
  readonly runtime: Runtime
  readonly isSupported: boolean
  /** Throws for an address that nothing would be pushed to. */
  readonly check: (url: URL) => void
  /** Whether a task is over, so that nothing of it will be pushed again. */
  readonly isOver: (taskId: string, caller: Caller) => Promise<boolean>
}

/** From so many originators on, those of tasks that are over have to make room. */
const crowded = 25

/** Push notification configs: each is an originator that has joined the task's session. */
export class PushConfigs {
  readonly #options: PushConfigsOptions

  constructor(options: PushConfigsOptions) {
    this.#options = options
  }

  /**
   * Joins with the config that a message brings, before the message is sent, so that not even the fastest answer is
   * missed.
   */
  async before(
    session: string,
    { message, configuration }: SendMessageRequest,
    caller: Caller,
    said: Understood,
  ): Promise<JoinedConfig | undefined> {
    const config = configuration?.taskPushNotificationConfig
    if (config === undefined || message === undefined) return undefined
    const { messageId } = message
    const given = this.#checked(config)
    await this.#options.sessions.open({ principal: caller.principal, id: session })
    // A message that is sent again has the same config, also while another process still takes the first one: nothing is
    // pushed twice.
    const mark = contentHash(given.id === '' ? [messageId, message.parts, given.url] : [messageId, given.id]).slice(
      0,
      26,
    )
    const id = `a2a-push:push_${mark}`
    const before = (await this.#all(session, caller)).find((known) => known.originator.id === id)
    const details = { ...this.#details({ ...given, id: given.id || `cfg_${mark}` }, caller), messageId }
    const originator = before?.originator ?? {
      ...this.#originator(session, given.url, details, { caller, said }),
      id,
    }
    await this.#makeRoom(session, caller)
    await this.#options.sessions.join(session, originator, caller.principal)
    const { principal } = caller
    return {
      became: (taskId) =>
        this.#options.sessions.join(session, { ...originator, details: { ...details, taskId } }, principal),
      drop: async () => {
        if (before === undefined) await this.#options.sessions.leave(session, originator.id, principal)
      },
    }
  }

  async create(
    config: TaskPushNotificationConfig,
    caller: Caller,
    said: Understood,
  ): Promise<TaskPushNotificationConfig> {
    const given = this.#checked(config)
    const { taskId } = given
    const { session } = placeOf(taskId, caller)
    const details = { ...this.#details(given, caller), taskId }
    const same = (await this.#of(taskId, caller)).find((entry) => isSame(entry.details, given))
    const originator = {
      ...this.#originator(session, given.url, details, { caller, said }),
      ...defined({ id: same?.originator.id }),
    }
    await this.#makeRoom(session, caller)
    await this.#options.sessions.join(session, originator, caller.principal)
    return toConfig(originator.address ?? '', details)
  }

  async get(taskId: string, id: string, caller: Caller): Promise<TaskPushNotificationConfig> {
    const all = await this.list(taskId, caller)
    const found = id === '' ? all[0] : all.find((config) => config.id === id)
    if (found === undefined) throw new BeachError('NOT_FOUND', 'There is no such push notification config.')
    return found
  }

  async list(taskId: string, caller: Caller): Promise<TaskPushNotificationConfig[]> {
    return (await this.#of(taskId, caller)).map(({ originator, details }) =>
      toConfig(originator.address ?? '', details),
    )
  }

  async remove(taskId: string, id: string, caller: Caller): Promise<void> {
    const { session } = placeOf(taskId, caller)
    const found = (await this.#of(taskId, caller)).filter(({ details }) => details.configId === id)
    for (const { originator } of found) await this.#options.sessions.leave(session, originator.id, caller.principal)
  }

  /** A config is kept until its task is over and pushed; in a long conversation they would become too many. */
  async #makeRoom(session: string, caller: Caller): Promise<void> {
    const { principal } = caller
    const all = await this.#all(session, caller)
    if (all.length < crowded) return
    const { inFlight } = await this.#options.sessions.view(session, principal)
    const waiting = new Set(inFlight.map(({ kind, name }) => (kind === 'delivery' ? name : '')))
    for (const { originator, details } of all) {
      if (details.taskId === undefined || waiting.has(originator.id)) continue
      if (await this.#options.isOver(details.taskId, caller))
        await this.#options.sessions.leave(session, originator.id, principal)
    }
  }

  async #of(taskId: string, caller: Caller) {
    const { session } = placeOf(taskId, caller)
    const all = await ifFound(this.#all(session, caller))
    if (all === undefined) throw noSuchTask()
    return all.filter(({ details }) => details.taskId === taskId)
  }

  async #all(session: string, { principal }: Caller) {
    const originators = await this.#options.sessions.originators(session, principal)
    return originators.flatMap((originator) => {
      const details = pushDetailsOf(originator)
      return details === undefined ? [] : [{ originator, details }]
    })
  }

  #originator(
    session: string,
    address: string,
    details: PushDetails,
    { caller, said }: { readonly caller: Caller; readonly said: Understood },
  ): Originator {
    const id = `a2a-push:${this.#options.runtime.id('push')}`
    return { ...originatorOf(session, caller, 'buffered', understood(said)), id, address, details: { ...details } }
  }

  #details({ id, token, authentication }: TaskPushNotificationConfig, { version, guest }: Caller): PushDetails {
    const configId = id === '' ? this.#options.runtime.id('cfg') : id
    return defined({ configId, version, key: guest?.key, token: token || undefined, authentication })
  }

  /** Refuses whatever has to do with configs where the card says that there are none. */
  require(): void {
    if (!this.#options.isSupported)
      throw new PushNotificationNotSupportedError('This agent does not push notifications.')
  }

  /** Refuses an address that is known beforehand to be out of reach, rather than to be silent later. */
  #requireReachable(url: URL): void {
    try {
      this.#options.check(url)
    } catch (cause) {
      if (!isBeachError(cause, 'ADDRESS_REFUSED')) throw cause
      const message = `Nothing can be pushed to ${url.host}. Give a public https address; the operator of this agent must allow another one (a2a.fetch).`
      throw new BeachError('BAD_REQUEST', message, { cause })
    }
  }

  #checked(config: TaskPushNotificationConfig): TaskPushNotificationConfig {
    this.require()
    const { url, id, token, authentication } = config
    const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
    if (!isWeb || url.length > maxLength)
      throw new BeachError('BAD_REQUEST', 'A push notification needs an http(s) `url`.')
    this.#requireReachable(new URL(url))
    const texts = [id, token, authentication?.scheme ?? '', authentication?.credentials ?? '']
    // They become headers, and nothing must be smuggled in with them.
    if (texts.some((text) => text.length > maxLength || !/^[\x20-\x7e]*$/.test(text))) {
      throw new BeachError(
        'BAD_REQUEST',
        `Ids, tokens and credentials are at most ${maxLength} visible ASCII characters.`,
      )
    }
    if (authentication && !/^[A-Za-z][\w-]*$/.test(authentication.scheme)) {
      throw new BeachError('BAD_REQUEST', '`authentication.scheme` is the name of a scheme, such as Bearer.')
    }
    return config
  }
}

function isSame({ configId }: PushDetails, { id }: TaskPushNotificationConfig): boolean {
  return id !== '' && configId === id
}

/** A config as its owner may read it: credentials, and the token that notifications are signed with, only go in. */
function toConfig(url: string, { configId, taskId = '', authentication }: PushDetails) {
  return {
    tenant: '',
    id: configId,
    taskId,
    url,
    token: '',
    authentication: authentication && { scheme: authentication.scheme, credentials: '' },
  }
}
