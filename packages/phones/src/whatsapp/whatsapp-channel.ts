import { inContext, started, type InContext } from '@cool-ai/beach-channel'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { errorResponse, parseJson, readBytes } from '@cool-ai/beach-channel/http'
import { AskDigest, inboxName } from '@cool-ai/beach-channel/people'
import { BeachError, type Channel, type Originator, type PushPolicy } from '@cool-ai/beach-core'
import { withDefaults } from '@cool-ai/beach-core/runtime'
import { Conversations } from '../people/conversations.ts'
import { Correspondents } from '../people/correspondents.ts'
import { readMark } from '../people/deliver.ts'
import { forgetPerson } from '../people/forget-person.ts'
import { Inbox } from '../people/inbox.ts'
import { PersonLog } from '../people/person-log.ts'
import type { MessageState } from '../people/person-state.ts'
import { numberCheck } from '../people/phone-numbers.ts'
import { phoneLimits } from '../people/phone-options.ts'
import { SendGate } from '../people/send-gate.ts'
import { GraphApi } from './graph-api.ts'
import { WhatsAppIntake } from './intake.ts'
import type { WhatsAppChannelOptions } from './options.ts'
import { knownOf, WhatsAppSender } from './sender.ts'
import { isSameWord, isSignature, isSigned } from './signature.ts'
import { newsOf, type ReceivedMessage, type WhatsAppStatus } from './webhook-body.ts'
import { whatsAppPreview } from './whatsapp-preview.ts'

export type { PhoneChannelOptions, PhoneFetch, PhoneLimits } from '../people/phone-options.ts'
export type { Known } from '../people/correspondents.ts'
export type { DeliveryStatus, MessageState } from '../people/person-state.ts'
export type { WhatsAppChannelOptions, WhatsAppTemplate } from './options.ts'
export { whatsAppOriginator } from './intake.ts'
export { whatsAppPreview, type WhatsAppPreviewOptions } from './whatsapp-preview.ts'

/** A channel to WhatsApp, with what is known of the messages that went out. */
export interface WhatsAppChannel extends Channel {
  readonly fetch: NonNullable<Channel['fetch']>
  readonly send: NonNullable<Channel['send']>
  /** How far the last messages to a person have come, as WhatsApp says. */
  states(to: Originator): Promise<readonly MessageState[]>
}

const path = '/channels/whatsapp'
const defaultPush: PushPolicy = { attempts: 10, firstDelayMs: 2_000, maxDelayMs: 15 * 60_000, timeoutMs: 120_000 }
const defaultGraphUrl = 'https://graph.facebook.com/v23.0'
const maxBodyBytes = 3 * 1024 * 1024
const maxDepth = 32

/** People on WhatsApp, through the Cloud API. */
export function whatsApp(options: WhatsAppChannelOptions): WhatsAppChannel {
  checkOptions(options)
  let made: ReturnType<typeof openWhatsApp> | undefined
  return {
    transport: 'whatsapp',
    deliveryClass: 'buffered',
    paths: [path],
    push: withDefaults(defaultPush, options.push),
    async start(context) {
      made = openWhatsApp(inContext(options, context))
      await made.start()
    },
    fetch: async (request) => started(made).fetch(request),
    reaches: (to) => knownOf(to) !== undefined,
    send: async (to, envelope, key, signal) => started(made).sender.send(to, envelope, key, signal),
    preview: async (turn) => started(made).preview(turn),
    forget: async (who) => started(made).forget(who),
    states: async (to) => started(made).states(to),
  }
}

/** @deprecated Use `whatsApp`. */
export const whatsAppChannel = whatsApp

/** What the channel consists of, once the agent has given it what it needs. */
function openWhatsApp(options: InContext<WhatsAppChannelOptions>) {
  const { store, secret, tenant, runtime, partTypes, sessions, signal } = options
  const { clock } = runtime
  const maxBytes = options.maxMediaBytes ?? options.mostMediaBytes ?? phoneLimits.maxMediaBytes
  const fetch = options.fetch ?? guardedFetch({ clock, limits: { bytes: maxBytes + 1, totalMs: 60_000 } })
  const graphUrl = (options.graphUrl ?? defaultGraphUrl).replace(/\/+$/, '')
  const graph = new GraphApi({ ...options, graphUrl, fetch, runtime })
  const people = new PersonLog(store, 'whatsapp', tenant)
  const correspondents = new Correspondents(store, { transport: 'whatsapp', tenant, secret })
  // WhatsApp itself has no numbers that cost; countries count where they are given.
  const hasRules = options.countries !== undefined || options.mayText !== undefined
  const check = hasRules ? numberCheck(options, []) : () => undefined
  const gate = new SendGate({ ...options, clock, transport: 'whatsapp', tenant, check })
  const sender: WhatsAppSender = new WhatsAppSender({
    runtime,
    partTypes,
    people,
    correspondents,
    graph,
    gate,
    channel: options,
    digest: () => digest,
  })
  const digest = new AskDigest({
    store,
    runtime,
    transport: 'whatsapp',
    tenant,
    caps: gate.caps,
    asksPerWindow: options.limits?.asksPerWindow,
    sessions,
    send: (asks, key, end) => sender.sendDigest(asks, key, end),
  })
  let taking: { readonly inbox: Inbox<ReceivedMessage>; readonly signal: AbortSignal } | undefined

  async function receive(request: Request): Promise<Response> {
    const signature = request.headers.get('x-hub-signature-256')
    // Nothing is read of what is not even said to be signed.
    if (!isSignature(signature)) throw notSigned()
    const body = await readBytes(request, maxBodyBytes, { clock })
    if (!isSigned(body, signature, options.appSecrets)) throw notSigned()
    const news = newsOf(parseJson(new TextDecoder().decode(body), maxDepth), options.phoneNumberId)
    if (news === undefined) throw new BeachError('BAD_REQUEST', 'This is not a webhook of a WhatsApp account.')
    if (taking === undefined || taking.signal.aborted) {
      throw new BeachError('STORE_UNAVAILABLE', 'The agent is not running. Send it again later.')
    }
    for (const status of news.statuses) await note(status)
    const { inbox } = taking
    for (const received of news.messages) {
      const { message, from } = received
      const isIn = await inbox.add(message.id, from.userId ?? from.phone ?? '', received)
      if (!isIn) throw new BeachError('MAILBOX_FULL', 'Too many messages of this person wait. Send it again later.')
    }
    return new Response(null, { status: 200 })
  }

  /** What WhatsApp says of a message of ours; by its mark we learn its id, should we have been gone when it was given. */
  async function note(status: WhatsAppStatus): Promise<void> {
    const phone =
      status.recipient_id !== undefined && /^\d{5,20}$/.test(status.recipient_id) ? status.recipient_id : undefined
    const userId = status.recipient_user_id
    if (phone === undefined && userId === undefined) return
    const known = { ...(phone !== undefined && { phone }), ...(userId !== undefined && { userId }) }
    const person = await correspondents.find(known)
    const code = status.errors?.[0]?.code
    const state: MessageState = {
      messageId: status.id,
      status: status.status,
      at: Number(status.timestamp) * 1_000,
      ...(code !== undefined && { code: String(code) }),
    }
    const mark = readMark(status.biz_opaque_callback_data ?? '')
    const sent = mark && { type: 'sent' as const, ...mark, messageId: status.id }
    await people.commit(person, () => [
      ...(sent && status.status !== 'failed' ? [sent] : []),
      { type: 'status', ...state },
    ])
    if (status.status === 'failed') runtime.logger.log('warn', 'WhatsApp did not deliver a message', { ...state })
    options.onStatus?.(state)
  }

  return {
    sender,
    preview: whatsAppPreview(options),
    async start() {
      const newSessionAfterMs = options.newSessionAfterMs ?? phoneLimits.newSessionAfterMs
      const conversations = new Conversations({ transport: 'whatsapp', people, sessions, newSessionAfterMs })
      const context = { runtime, tenant, sessions, people, correspondents, conversations, graph, sender }
      const intake = new WhatsAppIntake({ ...context, channel: options })
      const name = inboxName('whatsapp', tenant)
      const inbox = new Inbox<ReceivedMessage>({ store, runtime, name, work: (item, end) => intake.take(item, end) })
      await digest.start(signal)
      await inbox.start(signal)
      taking = { inbox, signal }
    },
    async fetch(request: Request) {
      try {
        if (request.method === 'GET') return verified(request, options.verifyToken)
        if (request.method === 'POST') return await receive(request)
        throw new BeachError('METHOD_NOT_ALLOWED', 'Use GET or POST here.', { details: { allow: 'GET, POST' } })
      } catch (error) {
        return errorResponse(error, runtime.logger)
      }
    },
    async forget(who: Originator) {
      const known = knownOf(who)
      if (known === undefined) return
      await digest.forget(await correspondents.find(known))
      const from = (item: ReceivedMessage) => item.from
      await forgetPerson({ correspondents, people, from, ...(taking && { inbox: taking.inbox }) }, known)
    },
    async states(to: Originator) {
      const known = knownOf(to)
      return known === undefined ? [] : (await people.load(await correspondents.find(known))).states
    },
  }
}

function notSigned(): BeachError {
  return new BeachError('UNAUTHENTICATED', 'This is not signed by one of the app’s secrets.')
}

/** The question that is asked when the webhook is set up. */
function verified(request: Request, verifyToken: string): Response {
  const { searchParams } = new URL(request.url)
  const challenge = searchParams.get('hub.challenge') ?? ''
  const isRight =
    isSameWord(searchParams.get('hub.verify_token') ?? '', verifyToken) &&
    searchParams.get('hub.mode') === 'subscribe' &&
    /^\d{1,40}$/.test(challenge)
  if (!isRight) throw new BeachError('FORBIDDEN', 'The verify token is not the one that was agreed on.')
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }
  return new Response(challenge, { headers })
}

function checkOptions({ appSecrets, verifyToken, phoneNumberId, accessToken, graphUrl }: WhatsAppChannelOptions) {
  const problems = [
    ...(appSecrets.length === 0 || appSecrets.some((word) => word.length < 8)
      ? ['`appSecrets` needs the app’s secret, from the settings of the app']
      : []),
    ...(verifyToken.length < 8 ? ['`verifyToken` needs at least 8 characters'] : []),
    ...(/^\w{1,64}$/.test(phoneNumberId) ? [] : ['`phoneNumberId` is the id of the number, not the number']),
    ...(accessToken === '' ? ['`accessToken` is empty'] : []),
    ...(graphUrl !== undefined && !URL.canParse(graphUrl) ? ['`graphUrl` is no address'] : []),
  ]
  if (problems.length === 0) return
  throw new BeachError('INVALID_CONFIGURATION', `The WhatsApp channel cannot be set up: ${problems.join('; ')}.`)
}
