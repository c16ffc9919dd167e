import { join } from 'node:path'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { BeachError, type Channel } from '@cool-ai/beach-core'
import type { Secret } from '@cool-ai/beach-core/tokens'
import type { EmailChannel, EmailChannelOptions } from '@cool-ai/beach-email'
import type { SmsChannelOptions, WhatsAppChannelOptions } from '@cool-ai/beach-phones'
import { domains, mailEntrySchema, memoryJournal, postOffice, type Journal } from '@cool-ai/beach-testing/mail'
import { slackEntrySchema, SlackStandIn } from '@cool-ai/beach-testing/slack'
import { smsEntrySchema, TwilioStandIn } from '@cool-ai/beach-testing/sms'
import { whatsAppEntrySchema, WhatsAppStandIn } from '@cool-ai/beach-testing/whatsapp'
import type { PageLink } from '@cool-ai/example-kit'
import type { z } from 'zod'
import { fileJournal } from './file-journal.ts'
import { isLoopback, localChannel } from './local-channel.ts'
import { LocalKey } from './local-key.ts'
import { Mailboxes } from './mailboxes.ts'
import type { Correspondent, LocalPerson } from './local-person.ts'
import { Phones } from './phones.ts'
import { readEntrySchema, ReadMarks } from './read-marks.ts'
import { chatUser, WorkChats } from './work-chats.ts'

export type { LocalPerson } from './local-person.ts'

export interface LocalStandInsOptions {
  /** Where mail and messages are kept; without it they are gone with the process. */
  readonly folder?: string | undefined
  /** Where the agent is reached: on this machine only. */
  readonly url: string
  /** The agent's secret, which the key to the pages follows from. */
  readonly secret: Secret
  readonly agent: Correspondent
  readonly people: readonly LocalPerson[]
}

/** The stand-ins of mail, WhatsApp, SMS and a work chat on this machine, with people behind them. */
export interface LocalStandIns {
  /** What the agent's channels need to reach them. */
  readonly mail: Pick<EmailChannelOptions, 'address' | 'name' | 'outbound' | 'smtp' | 'dns'>
  readonly whatsApp: Pick<
    WhatsAppChannelOptions,
    'phoneNumberId' | 'accessToken' | 'appSecrets' | 'verifyToken' | 'templates' | 'graphUrl' | 'fetch'
  >
  readonly sms: Pick<
    SmsChannelOptions,
    'accountSid' | 'authTokens' | 'from' | 'publicUrl' | 'apiUrl' | 'fetch' | 'mayText'
  >
  /** What `createSlackAdapter` needs to reach the work chat, and the workspace that it is. */
  readonly slack: SlackStandIn['account']
  readonly workspace: string
  /** The id of a person there. */
  readonly chatUser: (person: Pick<LocalPerson, 'id'>) => string
  /** Their pages, for an agent that gets its mail by this channel. */
  pages(mail: Pick<EmailChannel, 'smtpPort'>): Channel
  /** Where the pages are, with the key that opens them: only for the person who starts the agent. */
  readonly opening: { readonly mailbox: string; readonly phone: string; readonly chat: string }
  /** For the chat page. */
  readonly links: readonly PageLink[]
  close(): Promise<void>
}

const templates = { approval: { name: 'question', language: 'en' }, notice: { name: 'news', language: 'en' } }

/** Opens the stand-ins, each on a free port of this machine. */
export async function openLocalStandIns(options: LocalStandInsOptions): Promise<LocalStandIns> {
  const { folder, url, agent, people, secret } = options
  if (!isLoopback(new URL(url).hostname)) {
    const message = `The people of this machine are for a loopback address, not for ${url}. Name accounts instead.`
    throw new BeachError('INVALID_CONFIGURATION', message)
  }
  const key = new LocalKey(secret, url)
  const journal = <Entry>(name: string, schema: z.ZodType<Entry>): Journal<Entry> =>
    folder === undefined ? memoryJournal() : fileJournal(join(folder, `${name}.jsonl`), schema)
  const whatsApp = new WhatsAppStandIn(Date.now, journal('whatsapp', whatsAppEntrySchema))
  const slack = new SlackStandIn(Date.now, journal('slack', slackEntrySchema))
  const twilio = new TwilioStandIn(Date.now, journal('sms', smsEntrySchema))
  const read = new ReadMarks(journal('read', readEntrySchema))
  const addresses = new Set(people.map(({ address }) => address))
  const [office] = await Promise.all([
    postOffice({ journal: journal('mail', mailEntrySchema), knows: (address) => addresses.has(address) }),
    whatsApp.server.listen(),
    twilio.server.listen(),
    slack.server.listen(),
  ])
  const known = domains()
  for (const address of addresses) known.add(address.split('@')[1] ?? '')
  whatsApp.templates.set(`${templates.approval.name}:${templates.approval.language}`, 2)
  whatsApp.templates.set(`${templates.notice.name}:${templates.notice.language}`, 0)
  whatsApp.webhook = `${url}/channels/whatsapp`
  slack.webhook = `${url}/channels/chat/slack`
  twilio.publicUrl = url
  twilio.agent = url
  whatsApp.resume()
  const guarded = guardedFetch({ allow: [whatsApp.server.origin, twilio.server.origin] })
  const fetch = (address: string, init: RequestInit) => guarded(address, init)
  return {
    mail: {
      address: agent.address,
      name: agent.name,
      outbound: office.outbound,
      smtp: { host: '127.0.0.1', port: 0 },
      dns: known.dns,
    },
    whatsApp: { ...whatsApp.account, templates, fetch },
    sms: {
      ...twilio.account,
      // Their numbers are from a range that is never assigned.
      mayText: () => true,
      fetch,
    },
    slack: slack.account,
    workspace: slack.teamId,
    chatUser,
    pages: (mail) =>
      localChannel({
        key,
        mailboxes: new Mailboxes({ office, domains: known, people, agent, read, port: () => mail.smtpPort() }),
        phones: new Phones({ whatsApp, twilio, people, agent, read }),
        chats: new WorkChats({ slack, people, agent, read }),
      }),
    opening: {
      mailbox: key.link('/local/mailbox'),
      phone: key.link('/local/phone'),
      chat: key.link('/local/chat'),
    },
    links: [
      { label: 'Mailbox', url: '/local/mailbox', news: '/local/api/news/mailbox' },
      { label: 'Phone', url: '/local/phone', news: '/local/api/news/phone' },
      { label: 'Work chat', url: '/local/chat', news: '/local/api/news/chat' },
    ],
    async close() {
      await Promise.all([office.close(), whatsApp.close(), twilio.server.close(), slack.close(), guarded.close()])
    },
  }
}
