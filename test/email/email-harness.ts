import type { ChannelHarness, ContractActor, ReceivedMessage, Utterance } from '@cool-ai/beach-testing/contracts'
import { agent, emailTestContext, tenant, until, type EmailProcess } from './email-context.ts'
import { mailboxLogin, mailboxServer } from './mailbox-server.ts'
import { deliver, written, type Delivered } from '@cool-ai/beach-testing/mail'

const domain = 'people.example'

/** How mail comes to the agent: other servers deliver it, or it fetches it from a mailbox. */
export type Way = 'smtp' | 'imap'

/** People with a mail program each, on the other side of real servers. */
export async function emailHarness(way: Way): Promise<ChannelHarness & { close(): Promise<void> }> {
  const context = await emailTestContext()
  const mailbox = way === 'imap' ? await mailboxServer() : undefined
  context.domains.add(domain)
  const letters = new Map<string, { raw: string; to: string; from: string }>()
  const threads = new Map<string, string>()
  let process: EmailProcess | undefined

  const addressOf = (person: string) => `${person}@${domain}`
  const threadOf = ({ email }: Delivered): string | undefined => {
    const ids = [...(email.references ?? '').split(/\s+/), email.inReplyTo ?? '']
    return ids.map((id) => threads.get(id)).find((name) => name !== undefined)
  }
  const lastOf = (person: string, thread: string) =>
    context.office.inbox(addressOf(person)).findLast((mail) => threadOf(mail) === `${person} ${thread}`)

  /** A new mail, or an answer to the last one of the conversation. */
  async function letterOf({ person, text, id, thread = 'usual' }: Utterance) {
    const known = letters.get(`${person} ${id}`)
    if (known !== undefined) return known
    const last = lastOf(person, thread)
    const from = addressOf(person)
    const to = last?.email.replyTo?.[0]?.address ?? agent
    const messageId = `<${person}.${id}@${domain}>`
    threads.set(messageId, `${person} ${thread}`)
    const answered = last && {
      inReplyTo: last.email.messageId ?? '',
      references: `${last.email.references ?? ''} ${last.email.messageId}`.trim(),
      subject: `Re: ${last.email.subject}`,
    }
    const quoted = last
      ? `\r\n\r\nOn 1 May 2026, Sally <${agent}> wrote:\r\n${(last.email.text ?? '').replaceAll(/^/gm, '> ')}`
      : ''
    const raw = await context.domains.sign(
      await written({ from, to, messageId, text: text + quoted, ...answered }),
      domain,
    )
    const letter = { raw, to, from }
    letters.set(`${person} ${id}`, letter)
    return letter
  }

  async function post({ raw, to, from }: { raw: string; to: string; from: string }): Promise<unknown> {
    if (mailbox !== undefined) return mailbox.append(raw)
    const port = process?.channel.smtpPort()
    if (port === undefined) throw new Error('No process is there.')
    return deliver(port, raw, { from, to: [to] })
  }

  const attacks: Readonly<Record<string, () => string>> = {
    'parts that are nested 3000 deep': () => nested(3_000),
    '20000 attachments': () => attached(20_000),
    '100000 headers': () => `From: eve@${domain}\r\n${'X-A: b\r\n'.repeat(100_000)}\r\nhello`,
    'a mail that is no mail': () => '\u0000\u0001\u0002 <<>> \r\n\r\n',
    'HTML that is nested 200000 deep': () => html('<div>'.repeat(200_000)),
    'a mail with two senders': () => `From: eve@${domain}, mallory@${domain}\r\nTo: ${agent}\r\n\r\nhello`,
    'a million empty lines': () => `From: eve@${domain}\r\nTo: ${agent}\r\n\r\n${'\n'.repeat(1_000_000)}hello`,
    'an endless list of recipients': () => `From: eve@${domain}\r\nTo: ${'a:'.repeat(100_000)}\r\n\r\nhello`,
    'endless brackets in its references': () => `From: eve@${domain}\r\nReferences: ${'<'.repeat(50_000)}\r\n\r\nhello`,
  }

  return {
    tenant,
    async start(actor: ContractActor) {
      const options = mailbox && {
        imap: { host: '127.0.0.1', port: mailbox.port, auth: mailboxLogin },
      }
      const started = await context.start(actor, { ...options })
      process = started
      return {
        sessions: started.sessions,
        async stop() {
          process = undefined
          await started.stop()
        },
      }
    },
    say: async (utterance) => post(await letterOf(utterance)),
    async sayTooMuch(person) {
      const from = addressOf(person)
      const text = 'too much '.repeat(3_200_000)
      return post({ raw: `From: ${from}\r\nTo: ${agent}\r\nMessage-ID: <large@x>\r\n\r\n${text}`, from, to: agent })
    },
    attack: (name) => post({ raw: attacks[name]?.() ?? '', from: `eve@${domain}`, to: agent }),
    received: (person) =>
      context.office.inbox(addressOf(person)).map((mail): ReceivedMessage => {
        const thread = threadOf(mail)
        const { text = '', html: page = '', messageId = '', attachments } = mail.email
        const files = attachments.map(({ content }) => Buffer.from(content as ArrayBuffer).toString('utf8'))
        return { text: [text, page, ...files].join('\n'), mark: messageId, ...(thread !== undefined && { thread }) }
      }),
    attempts: () => context.office.attempts,
    receiver: (state) => {
      context.office.state = state
    },
    until,
    async close() {
      await context.close()
      await mailbox?.close()
    },
  }
}

export const emailAttacks = [
  'parts that are nested 3000 deep',
  '20000 attachments',
  '100000 headers',
  'a mail that is no mail',
  'HTML that is nested 200000 deep',
  'a mail with two senders',
  'endless brackets in its references',
  'a million empty lines',
  'an endless list of recipients',
]

function nested(depth: number): string {
  const open = Array.from(
    { length: depth },
    (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
  )
  return `From: eve@${domain}\r\nTo: ${agent}\r\n${open.join('')}\r\nhello`
}

function attached(count: number): string {
  const parts = '--b\r\nContent-Disposition: attachment; filename=a\r\n\r\nx\r\n'.repeat(count)
  return `From: eve@${domain}\r\nTo: ${agent}\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${parts}--b--\r\n`
}

function html(page: string): string {
  return `From: eve@${domain}\r\nTo: ${agent}\r\nContent-Type: text/html\r\n\r\n${page}hello`
}
