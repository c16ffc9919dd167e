import type { DeliveryStatus, Inbox } from '@cool-ai/beach-channel/people'
import type { InContext } from '@cool-ai/beach-channel'
import { readBytes } from '@cool-ai/beach-channel/http'
import { BeachError } from '@cool-ai/beach-core'
import {
  checkOptions,
  phoneChannel,
  type OpenedService,
  type PhoneChannel,
  type PhoneContext,
} from '../people/phone-channel.ts'
import { countriesOf, numberCheck } from '../people/phone-numbers.ts'
import { formFields, isSignedForm, messageOf, statusOf, twiml } from './form.ts'
import { SmsIntake, type ReceivedSms } from './intake.ts'
import { keywordOf } from './keywords.ts'
import { smsPath, smsStatusPath, type SmsChannelOptions, type SmsSettings } from './options.ts'
import { SmsSender } from './sender.ts'
import { smsPreview } from './sms-preview.ts'
import { isService, TwilioApi } from './twilio-api.ts'

export type { PhoneChannelOptions, PhoneFetch, PhoneLimits } from '../people/phone-options.ts'
export type { DeliveryStatus, MessageState } from '@cool-ai/beach-channel/people'
export type { SmsChannelOptions } from './options.ts'
export { smsOriginator } from './intake.ts'
export { smsPreview, type SmsPreviewOptions } from './sms-preview.ts'
export { segmentsOf, type Segments } from './segments.ts'

/** A channel to phones by SMS, with what is known of the messages that went out. */
export type SmsChannel = PhoneChannel

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
  const { accountSid, authTokens, from, publicUrl, apiUrl } = options
  checkOptions('SMS', {
    '`accountSid` begins with AC and has 32 digits after it': /^AC[0-9a-fA-F]{32}$/.test(accountSid),
    '`authTokens` needs the account’s auth token':
      authTokens.length > 0 && authTokens.every((token) => token.length >= 16),
    '`from` is a number such as +15005550006, or MG…': /^\+?\d{3,20}$/.test(from) || isService(from),
    '`publicUrl` is an address such as https://agent.example': publicUrl === undefined || URL.canParse(publicUrl),
    '`apiUrl` is not an address': apiUrl === undefined || URL.canParse(apiUrl),
  })
  return phoneChannel<SmsChannelOptions, ReceivedSms>(
    {
      transport: 'sms',
      name: 'Twilio',
      paths: [smsPath, smsStatusPath],
      methods: ['POST'],
      knownOf: ({ address }) => (address === undefined ? undefined : { phone: address }),
      numberCheck: (given) => numberCheck(given, countriesOf(numbersOf(given) ?? [])),
      open: (given, context) => openSms(withPublicUrl(given), context),
    },
    options,
  )
}

/** @deprecated Use `sms`. */
export const smsChannel = sms

/** The numbers that messages may come to; undefined when that is any. */
function numbersOf({ numbers, from }: Pick<SmsChannelOptions, 'numbers' | 'from'>): readonly string[] | undefined {
  return numbers ?? (isService(from) ? undefined : [from])
}

function openSms(settings: SmsSettings, context: PhoneContext): OpenedService<ReceivedSms> {
  const { runtime, gate, fetch } = context
  const { clock } = runtime
  const apiUrl = (settings.apiUrl ?? 'https://api.twilio.com').replace(/\/+$/, '')
  const twilio = new TwilioApi({ ...settings, apiUrl, fetch, runtime })
  const sender = new SmsSender(settings, context, twilio)
  const intake = new SmsIntake(settings, context, sender, twilio)
  const numbers = numbersOf(settings)
  let leftOut = 0

  async function signedFields(request: Request, path: string): Promise<Readonly<Record<string, string>>> {
    const address = settings.publicUrl + path + new URL(request.url).search
    const fields = formFields(await readBytes(request, maxBodyBytes, { clock }), request.headers.get('content-type'))
    const isRight = isSignedForm(address, fields, request.headers.get('x-twilio-signature'), settings.authTokens)
    if (isRight && fields.AccountSid === settings.accountSid) return fields
    throw new BeachError('FORBIDDEN', 'This is not signed by the account’s token for the agent’s public address.')
  }

  async function receive(request: Request, inbox: Inbox<ReceivedSms>): Promise<Response> {
    const message = messageOf(await signedFields(request, smsPath))
    if (message === undefined) throw new BeachError('BAD_REQUEST', 'This is not a message of Twilio.')
    if (numbers?.includes(message.to) === false) {
      throw new BeachError('FORBIDDEN', 'This message is for another number.')
    }
    inbox.checkRunning()
    const refusal = gate.refusal(message.from)
    if (refusal !== undefined) {
      leftOut++
      const about = { id: message.id, reason: refusal, leftOut }
      runtime.logger.log('warn', 'a message was left out: its number is not written to', about)
      return twiml(undefined)
    }
    await inbox.add(message.id, message.from, { message, at: clock.now() })
    const isHelp = message.optOut === undefined && keywordOf(message.text, undefined, false) === 'help'
    return twiml(isHelp ? settings.help : undefined)
  }

  return {
    sender,
    preview: smsPreview({ ...settings, clock }),
    from: ({ message }) => ({ phone: message.from }),
    take: (item, signal) => intake.take(item, signal),
    async fetch(request, inbox, note) {
      const { pathname, searchParams } = new URL(request.url)
      if (!pathname.endsWith('/status')) return receive(request, inbox)
      const read = statusOf(await signedFields(request, smsStatusPath))
      if (read === undefined) throw new BeachError('BAD_REQUEST', 'This is not a status of Twilio.')
      const status = Object.hasOwn(statuses, read.status) ? statuses[read.status] : undefined
      const code = read.code === undefined ? {} : { code: read.code }
      const mark = searchParams.get('mark') ?? ''
      await note({ phone: read.to }, { messageId: read.id, at: clock.now(), status, mark, ...code })
      return new Response(null, { status: 204 })
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
