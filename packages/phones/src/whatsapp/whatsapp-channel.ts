import type { InContext } from '@cool-ai/beach-channel'
import { parseJson, readBytes } from '@cool-ai/beach-channel/http'
import { BeachError } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import type { Known } from '../people/correspondents.ts'
import {
  checkOptions,
  phoneChannel,
  type OpenedService,
  type PhoneChannel,
  type PhoneContext,
  type StatusNews,
} from '../people/phone-channel.ts'
import { numberCheck } from '../people/phone-numbers.ts'
import { GraphApi } from './graph-api.ts'
import { knownOf, WhatsAppIntake } from './intake.ts'
import type { WhatsAppChannelOptions } from './options.ts'
import { WhatsAppSender } from './sender.ts'
import { isSameWord, isSignature, isSigned, newsOf, type ReceivedMessage, type WhatsAppStatus } from './webhook-body.ts'
import { whatsAppPreview } from './whatsapp-preview.ts'

export type { PhoneChannelOptions, PhoneFetch, PhoneLimits } from '../people/phone-options.ts'
export type { Known } from '../people/correspondents.ts'
export type { DeliveryStatus, MessageState } from '@cool-ai/beach-channel/people'
export type { WhatsAppChannelOptions, WhatsAppTemplate } from './options.ts'
export { whatsAppOriginator } from './intake.ts'
export { whatsAppPreview, type WhatsAppPreviewOptions } from './whatsapp-preview.ts'

/** A channel to WhatsApp, with what is known of the messages that went out. */
export type WhatsAppChannel = PhoneChannel

const defaultGraphUrl = 'https://graph.facebook.com/v23.0'
const maxBodyBytes = 3 * 1024 * 1024
const maxDepth = 32

/** People on WhatsApp, through the Cloud API. */
export function whatsApp(options: WhatsAppChannelOptions): WhatsAppChannel {
  const { appSecrets, verifyToken, phoneNumberId, accessToken, graphUrl } = options
  checkOptions('WhatsApp', {
    '`appSecrets` needs the app’s secret, from the settings of the app':
      appSecrets.length > 0 && appSecrets.every((word) => word.length >= 8),
    '`verifyToken` needs at least 8 characters': verifyToken.length >= 8,
    '`phoneNumberId` is the id of the number, not the number': /^\w{1,64}$/.test(phoneNumberId),
    '`accessToken` is empty': accessToken !== '',
    '`graphUrl` is not an address': graphUrl === undefined || URL.canParse(graphUrl),
  })
  return phoneChannel<WhatsAppChannelOptions, ReceivedMessage>(
    {
      transport: 'whatsapp',
      name: 'WhatsApp',
      paths: ['/channels/whatsapp'],
      methods: ['GET', 'POST'],
      knownOf,
      numberCheck(given) {
        // WhatsApp itself has no premium numbers; countries count where they are given.
        if (given.countries === undefined && given.mayText === undefined) return () => undefined
        const check = numberCheck(given, [])
        return (phone) => check(`+${phone}`)
      },
      open: openWhatsApp,
    },
    options,
  )
}

/** @deprecated Use `whatsApp`. */
export const whatsAppChannel = whatsApp

function openWhatsApp(
  options: InContext<WhatsAppChannelOptions>,
  context: PhoneContext,
): OpenedService<ReceivedMessage> {
  const { runtime, fetch } = context
  const graphUrl = (options.graphUrl ?? defaultGraphUrl).replace(/\/+$/, '')
  const graph = new GraphApi({ ...options, graphUrl, fetch, runtime })
  const sender = new WhatsAppSender(options.templates, context, graph)
  const intake = new WhatsAppIntake(options, context, sender, graph)
  return {
    sender,
    preview: whatsAppPreview(options),
    from: (item) => item.from,
    take: (item, signal) => intake.take(item, signal),
    async fetch(request, inbox, note) {
      if (request.method === 'GET') return verified(request, options.verifyToken)
      const signature = request.headers.get('x-hub-signature-256')
      // Nothing is read of a body that has no signature.
      if (!isSignature(signature)) throw notSigned()
      const body = await readBytes(request, maxBodyBytes, { clock: runtime.clock })
      if (!isSigned(body, signature, options.appSecrets)) throw notSigned()
      const news = newsOf(parseJson(new TextDecoder().decode(body), maxDepth), options.phoneNumberId)
      if (news === undefined) throw new BeachError('BAD_REQUEST', 'This is not a webhook of a WhatsApp account.')
      inbox.checkRunning()
      for (const status of news.statuses) {
        const known = recipientOf(status)
        if (known !== undefined) await note(known, statusNews(status))
      }
      for (const received of news.messages) {
        const { message, from } = received
        await inbox.add(message.id, from.userId ?? from.phone ?? '', received)
      }
      return new Response(null, { status: 200 })
    },
  }
}

function recipientOf({ recipient_id: phone = '', recipient_user_id: userId }: WhatsAppStatus): Known | undefined {
  const isPhone = /^\d{5,20}$/.test(phone)
  if (!isPhone && userId === undefined) return undefined
  return defined({ phone: isPhone ? phone : undefined, userId })
}

function statusNews({
  id,
  status,
  timestamp,
  errors,
  biz_opaque_callback_data: mark = '',
}: WhatsAppStatus): StatusNews {
  const code = errors?.[0]?.code
  const at = Number(timestamp) * 1_000
  return defined({ messageId: id, status, at, mark, code: code?.toString() })
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
