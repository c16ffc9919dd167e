import { createTransport, type Transporter } from 'nodemailer'
import type { Email } from 'postal-mime'

/** A mail as a person writes it. */
export interface Letter {
  readonly from: string
  readonly to: string
  readonly subject?: string | undefined
  readonly messageId: string
  readonly inReplyTo?: string | undefined
  readonly references?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly text?: string | undefined
  readonly html?: string | undefined
  readonly attachments?:
    | readonly {
        readonly filename: string
        readonly content: Buffer
        readonly contentType: string
      }[]
    | undefined
}

/** A mail as a person's mail program writes it. */
export async function written(letter: Letter): Promise<string> {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  const { attachments = [], ...rest } = letter
  const { message } = await transport.sendMail({ ...rest, attachments: attachments.map((file) => ({ ...file })) })
  return (message as Buffer).toString('utf8')
}

/** An answer to a mail, as mail programs write it: to its Reply-To, with the mail quoted below. */
export function answerTo({ email }: { readonly email: Email }, text: string) {
  const { subject = '', messageId = '', references = '', from, replyTo } = email
  const quoted = (email.text ?? '').replaceAll(/^/gm, '> ')
  const sender = from?.address ?? ''
  const who = from?.name ? `${from.name} <${sender}>` : sender
  return {
    to: replyTo?.[0]?.address ?? sender,
    subject: /^re:/i.test(subject) ? subject : `Re: ${subject}`,
    inReplyTo: messageId,
    references: `${references} ${messageId}`.trim(),
    text: `${text}\r\n\r\nOn ${dayOf(email.date)}, ${who} wrote:\r\n${quoted}`,
  }
}

function dayOf(date: string | undefined): string {
  const time = date === undefined ? Number.NaN : Date.parse(date)
  if (Number.isNaN(time)) return 'an earlier day'
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(time)
}

/** Delivers a mail as another server does; rejects with the answer when it is not accepted. With `ca`, only by TLS. */
export async function deliver(
  port: number,
  raw: string | Buffer,
  envelope: { from: string; to: readonly string[] },
  tls?: { readonly ca: string; readonly servername: string },
): Promise<void> {
  const transport = tls === undefined ? plainTo(port) : createTransport({ ...local(port), requireTLS: true, tls })
  try {
    await transport.sendMail({ envelope: { from: envelope.from, to: [...envelope.to] }, raw })
  } finally {
    if (tls !== undefined) transport.close()
  }
}

const kept = new Map<number, Transporter>()

/** Connections stay open for the next mail: servers greet a new one only after a while, in case it talks too early. */
function plainTo(port: number): Transporter {
  const transport = kept.get(port) ?? createTransport({ ...local(port), ignoreTLS: true, pool: true })
  kept.set(port, transport)
  return transport
}

function local(port: number) {
  return { host: '127.0.0.1', port, secure: false }
}
