import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { systemRuntime } from '@cool-ai/beach-core'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { z } from 'zod'
import { memoryJournal, type Journal } from '../stand-in/stand-in-server.ts'

/** The schema of a mail that a post office keeps. */
export const mailEntrySchema = z.object({
  id: z.string(),
  at: z.number(),
  from: z.string(),
  to: z.array(z.string()),
  raw: z.string(),
})

type MailEntry = z.infer<typeof mailEntrySchema>

/** A mail that has arrived. */
export interface Delivered extends Readonly<MailEntry> {
  readonly email: Email
}

interface KeptMail extends Pick<MailEntry, 'from' | 'to' | 'raw'> {
  /** When it was sent; now when left out. */
  readonly at?: number
}

/** The rest of the world: a real server that accepts what the agent sends. */
export interface PostOffice {
  readonly port: number
  /** What a mail channel needs to send through it. */
  readonly outbound: { readonly host: string; readonly port: number }
  readonly delivered: readonly Delivered[]
  /** Message-IDs of all attempts. */
  readonly attempts: readonly string[]
  state: 'working' | 'out-of-order' | 'refusing'
  inbox(address: string): readonly Delivered[]
  /** Keeps a mail, such as one that a local person has sent. */
  keep(mail: KeptMail): Promise<Delivered>
  close(): Promise<void>
}

/** Whom a post office knows, and where it keeps mail. */
export interface PostOfficeOptions {
  readonly journal?: Journal<MailEntry> | undefined
  /**
   * Whether a local person has this address; mail for others is refused. All mail is accepted when this is left out.
   */
  readonly knows?: ((address: string) => boolean) | undefined
}

const maxBytes = 30 * 1024 * 1024

/** Starts a mail server on this machine that keeps all mail that it is sent. */
export async function postOffice(options: PostOfficeOptions = {}): Promise<PostOffice> {
  const { journal = memoryJournal<MailEntry>(), knows = () => true } = options
  const runtime = systemRuntime()
  const delivered: Delivered[] = await Promise.all(journal.past.map(read))
  const attempts: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    size: maxBytes,
    onRcptTo: ({ address }, _session, done) =>
      done(knows(address) ? undefined : answer(550, 'No mailbox has this address.')),
    onData(stream, { envelope }, done) {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        const to = envelope.rcptTo.map(({ address }) => address)
        const mail = { from, to, raw: Buffer.concat(pieces).toString('utf8') }
        void settle(mail, done)
      })
    },
  })

  async function settle(mail: KeptMail, done: (problem?: Error) => void): Promise<void> {
    done(await take(mail).catch(() => answer(451)))
  }

  async function take(mail: KeptMail): Promise<Error | undefined> {
    const { messageId = '' } = await PostalMime.parse(mail.raw)
    attempts.push(messageId)
    if (office.state === 'out-of-order') return answer(451)
    if (office.state === 'refusing') return answer(550)
    await office.keep(mail)
    return undefined
  }

  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const office: PostOffice = {
    port,
    outbound: { host: '127.0.0.1', port },
    delivered,
    attempts,
    state: 'working',
    inbox: (address) => delivered.filter(({ to }) => to.includes(address)),
    async keep({ from, to, raw, at = runtime.clock.now() }) {
      const mail = await read({ id: runtime.id('mail'), at, from, to, raw })
      const { email: _, ...entry } = mail
      journal.add(entry)
      delivered.push(mail)
      return mail
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return office
}

async function read(entry: MailEntry): Promise<Delivered> {
  return { ...entry, email: await PostalMime.parse(entry.raw) }
}

function answer(responseCode: number, message = 'not now'): Error {
  return Object.assign(new Error(message), { responseCode })
}
