import { AskDigest, Inbox, inboxName, type MessageState, PersonLog, readMark } from '@cool-ai/beach-channel/people'
import { inContext, started, type InContext } from '@cool-ai/beach-channel'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { errorResponse } from '@cool-ai/beach-channel/http'
import { BeachError, type Channel, type ChannelContext, type Originator, type PushPolicy } from '@cool-ai/beach-core'
import { withDefaults } from '@cool-ai/beach-core/runtime'
import { Conversations } from './conversations.ts'
import { Correspondents, type Known } from './correspondents.ts'
import type { NumberCheck } from './phone-numbers.ts'
import { phoneLimits, type PhoneChannelOptions, type PhoneFetch } from './phone-options.ts'
import type { PhoneSender } from './phone-sender.ts'
import { SendGate } from './send-gate.ts'
import { textLinkPath, TextLinks } from './text-links.ts'

/** A channel to phones, with the status of sent messages. */
export interface PhoneChannel extends Channel {
  readonly fetch: NonNullable<Channel['fetch']>
  readonly send: NonNullable<Channel['send']>
  /** The status of the last messages to a person, as the service reports it. */
  states(to: Originator): Promise<readonly MessageState[]>
}

/** What a service's sender and intake work with. */
export interface PhoneContext extends Pick<
  ChannelContext,
  'runtime' | 'tenant' | 'partTypes' | 'sessions' | 'artifacts' | 'artifactLink'
> {
  readonly transport: string
  readonly people: PersonLog
  readonly correspondents: Correspondents
  readonly conversations: Conversations
  readonly gate: SendGate
  readonly digest: AskDigest
  readonly textLinks: TextLinks
  readonly fetch: PhoneFetch
  readonly maxMediaBytes: number
  readonly knownOf: (to: Originator) => Known | undefined
}

/**
 * A service's report about a message of ours; by its mark we learn its id, should we have stopped when it was assigned.
 */
export interface StatusNews extends Omit<MessageState, 'status'> {
  /** Absent when it does not tell the status. */
  readonly status?: MessageState['status'] | undefined
  readonly mark: string
}

/** What differs from one service to another. */
interface PhoneService<Options, Item> {
  readonly transport: string
  /** What the service is called in the log. */
  readonly name: string
  readonly paths: readonly string[]
  readonly methods: readonly string[]
  /** How a person is reached, as their originator says. */
  readonly knownOf: (to: Originator) => Known | undefined
  readonly numberCheck: (options: Options) => NumberCheck
  readonly open: (options: InContext<Options>, context: PhoneContext) => OpenedService<Item>
}

/** A service, once the agent has given it what it needs. */
export interface OpenedService<Item> {
  readonly sender: PhoneSender
  readonly preview: NonNullable<Channel['preview']>
  readonly from: (item: Item) => Known
  /** Handles an incoming message; it may be called again with the same one. */
  readonly take: (item: Item, signal: AbortSignal) => Promise<void>
  readonly fetch: (
    request: Request,
    inbox: Inbox<Item>,
    note: (known: Known, news: StatusNews) => Promise<void>,
  ) => Promise<Response>
}

const defaultPush: PushPolicy = { attempts: 10, firstDelayMs: 2_000, maxDelayMs: 15 * 60_000, timeoutMs: 120_000 }

/** The channel of a service that brings messages to phones. */
export function phoneChannel<Options extends PhoneChannelOptions, Item>(
  service: PhoneService<Options, Item>,
  options: Options,
): PhoneChannel {
  let made: ReturnType<typeof openPhone<Options, Item>> | undefined
  return {
    transport: service.transport,
    deliveryClass: 'buffered',
    paths: [...service.paths, textLinkPath],
    secretPaths: [textLinkPath],
    push: withDefaults(defaultPush, options.push),
    async start(context) {
      made = openPhone(service, options, context)
      await made.start(context.signal)
    },
    fetch: async (request) => started(made).fetch(request),
    reaches: (to) => service.knownOf(to) !== undefined,
    send: async (to, envelope, key, signal) => started(made).sender.send(to, envelope, key, signal),
    preview: async (turn) => started(made).preview(turn),
    openapi: async () => (await import('../phone-openapi.ts')).phoneOpenApi(service.transport),
    forget: async (who) => started(made).forget(service.knownOf(who)),
    states: async (to) => started(made).states(service.knownOf(to)),
  }
}

/** What the channel consists of, once the agent has given it what it needs. */
function openPhone<Options extends PhoneChannelOptions, Item>(
  { transport, name, methods, knownOf, numberCheck, open }: PhoneService<Options, Item>,
  own: Options,
  given: ChannelContext,
) {
  const options = inContext<Options, ChannelContext>(own, given)
  const { store, secret, tenant, runtime, partTypes, sessions, artifacts, artifactLink } = options
  const { clock, logger } = runtime
  const maxMediaBytes = own.maxMediaBytes ?? own.mostMediaBytes ?? phoneLimits.maxMediaBytes
  const fetch = own.fetch ?? guardedFetch({ clock, limits: { bytes: maxMediaBytes + 1, totalMs: 60_000 } })
  const people = new PersonLog(store, transport, tenant)
  const correspondents = new Correspondents(store, { transport, tenant, secret })
  const newSessionAfterMs = own.newSessionAfterMs ?? phoneLimits.newSessionAfterMs
  const conversations = new Conversations({ transport, people, sessions, newSessionAfterMs })
  const gate = new SendGate({ store, clock, transport, tenant, limits: own.limits, check: numberCheck(own) })
  const digest = new AskDigest({
    store,
    runtime,
    transport,
    tenant,
    caps: gate.caps,
    asksPerWindow: own.limits?.asksPerWindow,
    sessions,
    send: (asks, key, signal) => sender.sendDigest(asks, key, signal),
  })
  const textLinks = new TextLinks(options)
  const context = { runtime, tenant, partTypes, sessions, artifacts, artifactLink, transport, people, correspondents }
  const opened = open(options, { ...context, conversations, gate, digest, textLinks, fetch, maxMediaBytes, knownOf })
  const { sender, preview, take, from } = opened
  const inbox = new Inbox<Item>({ store, runtime, name: inboxName(transport, tenant), work: take })

  async function note(known: Known, { mark, status, ...news }: StatusNews): Promise<void> {
    const person = await correspondents.find(known)
    const sent = readMark(mark)
    const state = status && { ...news, status }
    await people.commit(person, () => [
      ...(sent && status !== 'failed' ? [{ type: 'sent' as const, ...sent, messageId: news.messageId }] : []),
      ...(state ? [{ type: 'status' as const, ...state }] : []),
    ])
    if (state === undefined) return
    if (status === 'failed') logger.log('warn', `${name} did not deliver a message`, { ...state })
    own.onStatus?.(state)
  }

  return {
    sender,
    preview,
    async start(signal: AbortSignal) {
      await digest.start(signal)
      await inbox.start(signal)
    },
    async fetch(request: Request) {
      const linked = await textLinks.answer(request)
      if (linked !== undefined) return linked
      try {
        if (methods.includes(request.method)) return await opened.fetch(request, inbox, note)
        const details = { allow: methods.join(', ') }
        throw new BeachError('METHOD_NOT_ALLOWED', `Use ${methods.join(' or ')} here.`, { details })
      } catch (error) {
        return errorResponse(error, runtime)
      }
    },
    /** Forgets all that the channel remembers of a person: messages, the log, and their addresses. */
    async forget(known: Known | undefined) {
      if (known === undefined) return
      const person = await correspondents.find(known)
      await digest.forget(person)
      await inbox.forget(async (item) => (await correspondents.find(from(item))) === person)
      await people.forget(person)
      await correspondents.forget(person)
    },
    async states(known: Known | undefined) {
      return known === undefined ? [] : (await people.load(await correspondents.find(known))).states
    },
  }
}

/** Throws what is wrong with the options, if anything is. */
export function checkOptions(channel: string, checks: Readonly<Record<string, boolean>>): void {
  const problems = Object.keys(checks).filter((problem) => checks[problem] === false)
  if (problems.length === 0) return
  throw new BeachError('INVALID_CONFIGURATION', `The ${channel} channel cannot be set up: ${problems.join('; ')}.`)
}
