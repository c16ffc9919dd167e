import { inContext, started, type InContext } from '@cool-ai/beach-channel'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { errorResponse, readBytes } from '@cool-ai/beach-channel/http'
import { AskDigest, inboxName } from '@cool-ai/beach-channel/people'
import { BeachError, type Channel, type Originator, type PushPolicy } from '@cool-ai/beach-core'
import { withDefaults } from '@cool-ai/beach-core/runtime'
import { Conversations } from '../people/conversations.ts'
import { Correspondents } from '../people/correspondents.ts'
import { readMark } from '../people/deliver.ts'
import { forgetPerson } from '../people/forget-person.ts'
import { Inbox } from '../people/inbox.ts'
import { PersonLog } from '../people/person-log.ts'
import type { DeliveryStatus, MessageState } from '../people/person-state.ts'
import { countriesOf, numberCheck } from '../people/phone-numbers.ts'
import { phoneLimits } from '../people/phone-options.ts'
import { SendGate } from '../people/send-gate.ts'
import { formFields, messageOf, statusOf, type SmsMessage, type SmsStatus } from './form.ts'
import { SmsIntake } from './intake.ts'
import { keywordOf } from './keywords.ts'
import { smsPath, smsStatusPath, type SmsChannelOptions, type SmsSettings } from './options.ts'
import { SmsSender } from './sender.ts'
import { isSignedForm } from './signature.ts'
import { smsPreview } from './sms-preview.ts'
import { isService, TwilioApi } from './twilio-api.ts'
import { twiml } from './twiml.ts'

export type { PhoneChannelOptions, PhoneFetch, PhoneLimits } from '../people/phone-options.ts'
export type { DeliveryStatus, MessageState } from '../people/person-state.ts'
export type { SmsChannelOptions } from './options.ts'
export { smsOriginator } from './intake.ts'
export { smsPreview, type SmsPreviewOptions } from './sms-preview.ts'
export { segmentsOf, type Segments } from './segments.ts'

/** A channel to phones by SMS, with what is known of the messages that went out. */
export interface SmsChannel extends Channel {
  readonly fetch: NonNullable<Channel['fetch']>
  readonly send: NonNullable<Channel['send']>
  /** How far the last messages to a person have come, as Twilio says. */
  states(to: Originator): Promise<readonly MessageState[]>
}

interface ReceivedSms {
  readonly message: SmsMessage
  readonly at: number
}

const defaultPush: PushPolicy = { attempts: 10, firstDelayMs: 2_000, maxDelayMs: 15 * 60_000, timeoutMs: 120_000 }
const maxBodyBytes = 64 * 1024
const statuses: Readonly<Record<string, DeliveryStatus>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  undelivered: 'failed',
  failed: 'failed',
}

/** People by SMS, through Twilio. */
export function sms(options: SmsChannelOptions): SmsChannel {
  checkOptions(options)
  let made: ReturnType<typeof openSms> | undefined
  return {
    transport: 'sms',
    deliveryClass: 'buffered',
    paths: [smsPath, smsStatusPath],
    push: withDefaults(defaultPush, options.push),
    async start(context) {
      made = openSms(withPublicUrl(inContext(options, context)))
      await made.start()
    },
    fetch: async (request) => started(made).fetch(request),
    reaches: ({ address }) => address !== undefined,
    send: async (to, envelope, key, signal) => started(made).sender.send(to, envelope, key, signal),
    preview: async (turn) => started(made).preview(turn),
    forget: async ({ address }) => started(made).forget(address),
    states: async ({ address }) => started(made).states(address),
  }
}

/** @deprecated Use `sms`. */
export const smsChannel = sms

/** What the channel consists of, once the agent has given it what it needs. */
function openSms(options: SmsSettings) {
  const { store, secret, tenant, runtime, partTypes, sessions, signal } = options
  const { clock } = runtime
  const maxBytes = options.maxMediaBytes ?? options.mostMediaBytes ?? phoneLimits.maxMediaBytes
  const fetch = options.fetch ?? guardedFetch({ clock, limits: { bytes: maxBytes + 1, totalMs: 60_000 } })
  const apiUrl = (options.apiUrl ?? 'https://api.twilio.com').replace(/\/+$/, '')
  const twilio = new TwilioApi({ ...options, apiUrl, fetch, runtime })
  const people = new PersonLog(store, 'sms', tenant)
  const correspondents = new Correspondents(store, { transport: 'sms', tenant, secret })
  const numbers = options.numbers ?? (isService(options.from) ? undefined : [options.from])
  const check = numberCheck(options, countriesOf(numbers ?? []))
  const gate = new SendGate({ ...options, clock, transport: 'sms', tenant, check })
  const sender: SmsSender = new SmsSender({
    runtime,
    partTypes,
    people,
    correspondents,
    twilio,
    gate,
    channel: options,
    digest: () => digest,
  })
  const digest = new AskDigest({
    store,
    runtime,
    transport: 'sms',
    tenant,
    caps: gate.caps,
    asksPerWindow: options.limits?.asksPerWindow,
    sessions,
    send: (asks, key, end) => sender.sendDigest(asks, key, end),
  })
  let leftOut = 0
  let taking: { readonly inbox: Inbox<ReceivedSms>; readonly signal: AbortSignal } | undefined

  /** The fields of a form that Twilio has signed for this very address. */
  async function signedFields(request: Request, address: string): Promise<Readonly<Record<string, string>>> {
    const fields = formFields(await readBytes(request, maxBodyBytes, { clock }), request.headers.get('content-type'))
    const isRight = isSignedForm(address, fields, request.headers.get('x-twilio-signature'), options.authTokens)
    if (isRight && fields.AccountSid === options.accountSid) return fields
    throw new BeachError('FORBIDDEN', 'This is not signed by the account’s token for the agent’s public address.')
  }

  async function receive(request: Request): Promise<Response> {
    const { search } = new URL(request.url)
    const message = messageOf(await signedFields(request, options.publicUrl + smsPath + search))
    if (message === undefined) throw new BeachError('BAD_REQUEST', 'This is not a message of Twilio.')
    if (numbers !== undefined && !numbers.includes(message.to)) {
      throw new BeachError('FORBIDDEN', 'This message is for another number.')
    }
    if (taking === undefined || taking.signal.aborted) {
      throw new BeachError('STORE_UNAVAILABLE', 'The agent is not running. Send it again later.')
    }
    const refusal = gate.refusal(message.from)
    if (refusal !== undefined) {
      leftOut++
      const about = { id: message.id, reason: refusal, leftOut }
      runtime.logger.log('warn', 'a message was left out: its number is not written to', about)
      return twiml(undefined)
    }
    const isIn = await taking.inbox.add(message.id, message.from, { message, at: clock.now() })
    if (!isIn) throw new BeachError('MAILBOX_FULL', 'Too many messages of this person wait. Send it again later.')
    const isHelp = message.optOut === undefined && keywordOf(message.text, undefined, false) === 'help'
    return twiml(isHelp ? options.help : undefined)
  }

  async function note(request: Request): Promise<Response> {
    const { search, searchParams } = new URL(request.url)
    const status = statusOf(await signedFields(request, options.publicUrl + smsStatusPath + search))
    if (status === undefined) throw new BeachError('BAD_REQUEST', 'This is not a status of Twilio.')
    await noted(status, searchParams.get('mark') ?? '')
    return new Response(null, { status: 204 })
  }

  /** What Twilio says of a message of ours; by its mark we learn its id, should we have been gone when it was given. */
  async function noted({ id: messageId, to, status, code }: SmsStatus, marked: string): Promise<void> {
    const person = await correspondents.find({ phone: to })
    const mark = readMark(marked)
    const reached = Object.hasOwn(statuses, status) ? statuses[status] : undefined
    const state = reached && { messageId, status: reached, at: clock.now(), ...(code !== undefined && { code }) }
    await people.commit(person, () => [
      ...(mark && reached !== 'failed' ? [{ type: 'sent' as const, ...mark, messageId }] : []),
      ...(state ? [{ type: 'status' as const, ...state }] : []),
    ])
    if (state === undefined) return
    if (reached === 'failed') runtime.logger.log('warn', 'Twilio did not deliver a message', { ...state })
    options.onStatus?.(state)
  }

  return {
    sender,
    preview: smsPreview({ ...options, clock }),
    async start() {
      const newSessionAfterMs = options.newSessionAfterMs ?? phoneLimits.newSessionAfterMs
      const conversations = new Conversations({ transport: 'sms', people, sessions, newSessionAfterMs })
      const context = { runtime, tenant, sessions, people, correspondents, conversations, twilio, sender }
      const intake = new SmsIntake({ ...context, channel: options })
      const name = inboxName('sms', tenant)
      const work = ({ message, at }: ReceivedSms, end: AbortSignal) => intake.take(message, at, end)
      const inbox = new Inbox<ReceivedSms>({ store, runtime, name, work })
      await digest.start(signal)
      await inbox.start(signal)
      taking = { inbox, signal }
    },
    async fetch(request: Request) {
      try {
        if (request.method !== 'POST') {
          throw new BeachError('METHOD_NOT_ALLOWED', 'Use POST here.', { details: { allow: 'POST' } })
        }
        return new URL(request.url).pathname.endsWith('/status') ? await note(request) : await receive(request)
      } catch (error) {
        return errorResponse(error, runtime.logger)
      }
    },
    async forget(phone: string | undefined) {
      if (phone === undefined) return
      await digest.forget(await correspondents.find({ phone }))
      const from = ({ message }: ReceivedSms) => ({ phone: message.from })
      await forgetPerson({ correspondents, people, from, ...(taking && { inbox: taking.inbox }) }, { phone })
    },
    async states(phone: string | undefined) {
      return phone === undefined ? [] : (await people.load(await correspondents.find({ phone }))).states
    },
  }
}

/** Twilio signs over the address at which it reaches the agent. */
function withPublicUrl(options: InContext<SmsChannelOptions>): SmsSettings {
  if (options.publicUrl !== undefined) return { ...options, publicUrl: options.publicUrl.replace(/\/+$/, '') }
  throw new BeachError(
    'INVALID_CONFIGURATION',
    'The SMS channel needs to know where Twilio reaches the agent. Give createBeach a publicUrl.',
  )
}

function checkOptions({ accountSid, authTokens, from, publicUrl, apiUrl }: SmsChannelOptions): void {
  const problems = [
    ...(/^AC[0-9a-fA-F]{32}$/.test(accountSid) ? [] : ['`accountSid` begins with AC and has 32 digits after it']),
    ...(authTokens.length === 0 || authTokens.some((token) => token.length < 16)
      ? ['`authTokens` needs the account’s auth token']
      : []),
    ...(/^\+?\d{3,20}$/.test(from) || isService(from) ? [] : ['`from` is a number such as +15005550006, or MG…']),
    ...(publicUrl === undefined || URL.canParse(publicUrl)
      ? []
      : ['`publicUrl` is an address such as https://agent.example']),
    ...(apiUrl !== undefined && !URL.canParse(apiUrl) ? ['`apiUrl` is no address'] : []),
  ]
  if (problems.length === 0) return
  throw new BeachError('INVALID_CONFIGURATION', `The SMS channel cannot be set up: ${problems.join('; ')}.`)
}
