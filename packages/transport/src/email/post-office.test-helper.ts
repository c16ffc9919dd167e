import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { dkimSign } from 'mailauth'
import { createTransport } from 'nodemailer'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** Domains, their keys and their rules, as a resolver finds them. */
export interface Domains {
  readonly dns: (domain: string, type: string) => Promise<string[][]>
  /** Makes a domain that signs its mail, with a policy for what is not signed. */
  add(domain: string, policy?: 'none' | 'quarantine' | 'reject'): void
  /** Lets an address send for a domain. */
  allow(domain: string, ip: string): void
  /** Signs a mail, or only so many bytes of what it says. */
  sign(raw: string, domain: string, maxBodyLength?: number): Promise<string>
}

export function domains(): Domains {
  const records = new Map<string, string[][]>()
  const keys = new Map<string, string>()
  return {
    async dns(domain, type) {
      const found = type === 'TXT' ? records.get(domain.toLowerCase()) : undefined
      if (found !== undefined) return found
      throw Object.assign(new Error(`${domain} has no ${type}`), { code: 'ENOTFOUND' })
    },
    add(domain, policy = 'reject') {
      const { publicKey, privateKey } = keyOf(domain)
      keys.set(domain, privateKey)
      records.set(`mail._domainkey.${domain}`, [[`v=DKIM1; k=rsa; p=${publicKey.toString('base64')}`]])
      records.set(`_dmarc.${domain}`, [[`v=DMARC1; p=${policy}`]])
    },
    allow: (domain, ip) => void records.set(domain, [[`v=spf1 ip4:${ip} -all`]]),
    async sign(raw, domain, maxBodyLength) {
      const key = { signingDomain: domain, selector: 'mail', privateKey: keys.get(domain) ?? '' }
      const length = maxBodyLength === undefined ? undefined : { maxBodyLength }
      const signature = { ...key, ...length }
      const signed = await dkimSign(raw, {
        ...signature,
        canonicalization: 'relaxed/relaxed',
        signatureData: [signature],
      })
      return signed.signatures + raw
    },
  }
}

const made = new Map<string, ReturnType<typeof newKey>>()

/** A domain's key; making one takes a while, so each is made once. */
function keyOf(domain: string): ReturnType<typeof newKey> {
  const key = made.get(domain) ?? newKey()
  made.set(domain, key)
  return key
}

function newKey() {
  return generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
}

export interface Delivered {
  readonly raw: string
  readonly email: Email
  readonly to: readonly string[]
  readonly from: string
}

/** The rest of the world: a real server that takes what the agent sends. */
export interface PostOffice {
  readonly port: number
  readonly delivered: readonly Delivered[]
  /** Message-IDs of all that was tried. */
  readonly attempts: readonly string[]
  state: 'working' | 'out-of-order' | 'refusing'
  /** Mails that reached an address. */
  inbox(address: string): readonly Delivered[]
  close(): Promise<void>
}

export async function postOffice(): Promise<PostOffice> {
  const delivered: Delivered[] = []
  const attempts: string[] = []
  const answer = (responseCode: number) => Object.assign(new Error('not now'), { responseCode })
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    closeTimeout: 100,
    onData(stream, { envelope }, done) {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => {
        void (async () => {
          const raw = Buffer.concat(pieces).toString('utf8')
          const email = await PostalMime.parse(raw)
          attempts.push(email.messageId ?? '')
          if (office.state === 'out-of-order') return done(answer(451))
          if (office.state === 'refusing') return done(answer(550))
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
          delivered.push({ raw, email, to: envelope.rcptTo.map(({ address }) => address), from })
          done()
        })()
      })
    },
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const office: PostOffice = {
    port: (server.server.address() as AddressInfo).port,
    delivered,
    attempts,
    state: 'working',
    inbox: (address) => delivered.filter(({ to }) => to.includes(address)),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return office
}

export interface Letter {
  readonly from: string
  readonly to: string
  readonly subject?: string
  readonly messageId: string
  readonly inReplyTo?: string
  readonly references?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly text?: string
  readonly html?: string
  readonly attachments?: readonly {
    readonly filename: string
    readonly content: Buffer
    readonly contentType: string
  }[]
}

/** A mail as a person's program writes it. */
export async function written(letter: Letter): Promise<string> {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  const { attachments = [], ...rest } = letter
  const { message } = await transport.sendMail({ ...rest, attachments: attachments.map((file) => ({ ...file })) })
  return (message as Buffer).toString('utf8')
}

/** Delivers a mail as another server does; rejects with the answer when it is not taken. With `ca`, only by TLS. */
export async function deliver(
  port: number,
  raw: string | Buffer,
  envelope: { from: string; to: readonly string[] },
  tls?: { readonly ca: string; readonly servername: string },
): Promise<void> {
  const secured = tls === undefined ? { ignoreTLS: true } : { requireTLS: true, tls: { ...tls } }
  const transport = createTransport({ host: '127.0.0.1', port, secure: false, ...secured })
  try {
    await transport.sendMail({ envelope: { from: envelope.from, to: [...envelope.to] }, raw })
  } finally {
    transport.close()
  }
}
