import { BeachError, systemClock, type Channel } from '@cool-ai/beach-core'
import { WhatsAppStandIn } from '../whatsapp/whatsapp-stand-in.ts'
import type { WhatsAppReceived, WhatsAppWritten } from '../whatsapp/whatsapp-message.ts'
import { escaped, linked, localPage, type LocalChannel } from './local-pages.ts'

/** What a WhatsApp channel needs to reach the people of this machine. */
export type LocalPhoneAccount = WhatsAppStandIn['account'] & {
  readonly templates: Readonly<Record<'approval' | 'notice', { readonly name: string; readonly language: string }>>
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
}

/** The settings of `localPhone`. */
export interface LocalPhoneOptions {
  /** Their numbers, with the country and without a plus: `{ name: 'Anna', phone: '447700900002' }`. */
  readonly people: readonly { readonly name: string; readonly phone: string }[]
}

const templates = { approval: { name: 'question', language: 'en' }, notice: { name: 'news', language: 'en' } }

/**
 * WhatsApp without an account: `localPhone(whatsApp, { people })` in place of `whatsApp({ … })`. The people's phones are a
 * page of the agent, `/local/phone`. Everything is gone with the process.
 */
export function localPhone(
  whatsApp: (account: LocalPhoneAccount) => Channel,
  { people }: LocalPhoneOptions,
): LocalChannel {
  const standIn = new WhatsAppStandIn(() => systemClock.now())
  standIn.templates.set('question:en', 2)
  standIn.templates.set('news:en', 0)
  const { phoneNumberId, accessToken, appSecret, verifyToken } = standIn
  let listens = false
  const channel = whatsApp({
    phoneNumberId,
    accessToken,
    verifyToken,
    appSecrets: [appSecret],
    templates,
    // Read when the channel starts; the stand-in listens by then.
    get graphUrl() {
      return listens ? standIn.graphUrl : 'https://graph.invalid'
    },
    fetch: (url, init) => globalThis.fetch(url, init),
  })
  const page = localPage({
    path: '/local/phone',
    label: 'Phone',
    show: async () => people.map((person) => shown(person, standIn)).join(''),
    async take(form, origin) {
      const person = people.find(({ phone }) => phone === form.get('phone'))
      if (person === undefined) throw new BeachError('BAD_REQUEST', 'Say who writes.')
      // The page is at the agent's address, so its webhook is too.
      standIn.webhook = `${origin}/channels/whatsapp`
      const to = { phone: person.phone }
      const [message, title] = [standIn.of(to).find(({ id }) => id === form.get('message')), form.get('tap')]
      try {
        if (message !== undefined && title !== null) await standIn.tap(to, message, title)
        else await standIn.text(to, form.get('text') ?? '')
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause)
        throw new BeachError('UNREACHABLE', `The agent did not take the message: ${reason}`, { cause })
      }
    },
  })
  return {
    ...channel,
    paths: [...(channel.paths ?? []), '/local/phone'],
    localPage: page.link,
    async fetch(request) {
      if (new URL(request.url).pathname === '/local/phone') return page.fetch(request)
      if (channel.fetch === undefined) throw new BeachError('NOT_FOUND', 'There is nothing here.')
      return channel.fetch(request)
    },
    async start(context) {
      await standIn.server.listen()
      listens = true
      context.signal.addEventListener('abort', () => void standIn.close(), { once: true })
      await channel.start(context)
    },
  }
}

function shown({ name, phone }: LocalPhoneOptions['people'][number], standIn: WhatsAppStandIn): string {
  const received = standIn.of({ phone }).map((message) => ({ at: message.at, html: receivedHtml(message, phone) }))
  const sent = standIn.written
    .filter(({ person }) => person.phone === phone)
    .map((message, index) => ({
      at: message.at,
      html: `<article id="${escaped(phone)}-${index}" class="mine"><pre>${escaped(textOf(message))}</pre></article>`,
    }))
  const all = [...received, ...sent].toSorted((one, other) => one.at - other.at)
  return `<section><h2>${escaped(name)}, +${escaped(phone)}</h2>
<div class="live" id="${escaped(phone)}" aria-live="polite">${all.map(({ html }) => html).join('')}</div><form method="post"><input type="hidden" name="phone" value="${escaped(phone)}"><input name="text" aria-label="Message">
<button>Send</button></form></section>`
}

function receivedHtml(message: WhatsAppReceived, phone: string): string {
  const buttons = titlesOf(message).map(
    (title) => `<form method="post"><input type="hidden" name="phone" value="${escaped(phone)}">
<input type="hidden" name="message" value="${escaped(message.id)}"><button name="tap" value="${escaped(title)}">${escaped(title)}</button></form>`,
  )
  return `<article id="${escaped(message.id)}"><pre>${linked(saidIn(message))}</pre>${buttons.join('')}</article>`
}

/** The text without the titles of its buttons, which end it. */
function saidIn({ text, content: { interactive } }: WhatsAppReceived): string {
  const count = interactive?.action?.buttons?.length ?? 0
  return count === 0 ? text : text.split('\n').slice(0, -count).join('\n')
}

/** What can be tapped: buttons, rows of a list, and the quick replies of a template. */
function titlesOf({ content: { interactive, template } }: WhatsAppReceived): string[] {
  const { buttons = [], sections = [] } = interactive?.action ?? {}
  const quick = ['Approve', 'Deny'].slice(0, template?.components.filter(({ type }) => type === 'button').length ?? 0)
  return [
    ...buttons.map(({ reply }) => reply.title),
    ...sections.flatMap(({ rows }) => rows.map(({ title }) => title)),
    ...quick,
  ]
}

function textOf({ message }: WhatsAppWritten): string {
  const { text, button, interactive } = message as {
    readonly text?: { readonly body?: string }
    readonly button?: { readonly text?: string }
    readonly interactive?: {
      readonly button_reply?: { readonly title?: string }
      readonly list_reply?: { readonly title?: string }
    }
  }
  const replied = interactive?.button_reply ?? interactive?.list_reply
  return text?.body ?? button?.text ?? replied?.title ?? ''
}
