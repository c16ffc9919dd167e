import { createHash } from 'node:crypto'
import { isBeachError, sleep, type Runtime } from '@cool-ai/beach-core'
import { defined, isStoreFailure } from '@cool-ai/beach-core/runtime'
import { ImapFlow } from 'imapflow'
import type { MailRecords } from './mail-records.ts'
import type { ImapInbound } from './options.ts'
import type { ArrivedMail, TakenMail } from './take-mail.ts'

export interface ImapReaderOptions {
  readonly runtime: Runtime
  readonly records: MailRecords
  readonly maxBytes: number
  readonly take: (mail: ArrivedMail) => Promise<TakenMail>
}

const firstDelayMs = 500
const maxDelayMs = 60_000
/** A server may not report new mail, and a connection may be dead without notice. */
const lookAgainMs = 5 * 60_000
const maxTries = 8

/**
 * Reads a mailbox: what has arrived since the last time, then new mail. The read position is kept by UID, and only when
 * a mail is in the log, so that after a crash it starts with the first that may not be; mails themselves are told apart
 * by their Message-ID. A mailbox that is new here starts with unread mail.
 */
export class ImapReader {
  readonly #inbound: ImapInbound
  readonly #options: ImapReaderOptions
  readonly #tries = new Map<number, number>()

  constructor(inbound: ImapInbound, options: ImapReaderOptions) {
    this.#inbound = inbound
    this.#options = options
  }

  /** Reads until the signal aborts. `onFirst` is called when it is connected, or could not connect, the first time. */
  async run(signal: AbortSignal, onFirst: () => void): Promise<void> {
    const { runtime } = this.#options
    let delay = firstDelayMs
    while (!signal.aborted) {
      try {
        await this.#connection(signal, () => {
          delay = firstDelayMs
          onFirst()
        })
      } catch (error) {
        if (!signal.aborted) runtime.logger.log('warn', 'the mailbox cannot be read now', { error })
      }
      onFirst()
      await sleep(runtime.clock, delay, signal)
      delay = Math.min(delay * 2, maxDelayMs)
    }
  }

  async #connection(signal: AbortSignal, onConnected: () => void): Promise<void> {
    const { host, port, secure = false, auth, tls, mailbox = 'INBOX' } = this.#inbound
    const server = defined({ host, port, secure, auth: { ...auth }, tls: tls && { ...tls } })
    const client = new ImapFlow({ ...server, logger: false, disableAutoIdle: true, maxIdleTime: lookAgainMs })
    const news = new WakeFlag()
    client.on('exists', () => news.tell())
    client.on('close', () => news.tell())
    client.on('error', (error: unknown) => {
      this.#options.runtime.logger.log('debug', 'the connection to the mailbox failed', { error })
      news.tell()
    })
    const end = () => {
      news.tell()
      client.close()
    }
    signal.addEventListener('abort', end, { once: true })
    try {
      await client.connect()
      const { uidValidity, uidNext } = await client.mailboxOpen(mailbox)
      const name = createHash('sha256')
        .update(JSON.stringify([host, port, auth.user, mailbox]))
        .digest('hex')
      const box = new Mailbox(this.#options.records, `imap:${name.slice(0, 32)}`, String(uidValidity))
      await box.open(uidNext - 1)
      onConnected()
      while (!signal.aborted && client.usable) {
        news.clear()
        await this.#drain(client, box, signal)
        client.idle().catch(() => news.tell())
        await news.wait((run) => this.#options.runtime.clock.timer(lookAgainMs, run))
      }
    } finally {
      signal.removeEventListener('abort', end)
      client.close()
    }
  }

  async #drain(client: ImapFlow, box: Mailbox, signal: AbortSignal): Promise<void> {
    const after = await box.readUpTo()
    const found = await client.search({ uid: `${after + 1}:*` }, { uid: true })
    // `n:*` names the last mail even when that is before n.
    const uids = (found || []).filter((uid) => uid > after).toSorted((one, other) => one - other)
    const unread = box.isOld(uids[0] ?? Infinity) ? await client.search({ seen: false }, { uid: true }) : []
    for (const uid of uids) {
      if (signal.aborted) return
      if (!box.isOld(uid) || (unread || []).includes(uid)) await this.#takeOne(client, uid)
      await box.markReadUpTo(uid)
    }
  }

  async #takeOne(client: ImapFlow, uid: number): Promise<void> {
    const { maxBytes, take, runtime } = this.#options
    const about = await client.fetchOne(String(uid), { uid: true, size: true }, { uid: true })
    if (!about) return
    if ((about.size ?? 0) > maxBytes) {
      runtime.logger.log('warn', 'a mail was refused', { uid, reason: `It has more than ${maxBytes} bytes.` })
      return
    }
    const mail = await client.fetchOne(String(uid), { uid: true, source: true }, { uid: true })
    if (!mail || mail.source === undefined) return
    const { authservId } = this.#inbound
    try {
      const taken = await take(defined({ raw: mail.source, authservId }))
      this.#tries.delete(uid)
      if (taken.status !== 'refused') await client.messageFlagsAdd(String(uid), ['\\Seen'], { uid: true })
    } catch (error) {
      if (this.#isWorthAnother(uid, error)) throw error
      runtime.logger.log('error', 'a mail was given up; it stays unread in its mailbox', { uid, error })
    }
  }

  /** One mail that cannot be handled must not block all others for ever. */
  #isWorthAnother(uid: number, error: unknown): boolean {
    if (isBeachError(error) && !error.retryable && error.code !== 'STORE_CLOSED') return false
    const tries = (this.#tries.get(uid) ?? 0) + 1
    this.#tries.set(uid, tries)
    return isStoreFailure(error) || tries < maxTries
  }
}

/** The read position of a mailbox. UIDs count only as long as the mailbox has the same validity. */
class Mailbox {
  readonly #records: MailRecords
  readonly #key: string
  readonly #name: string
  #newest = 0

  constructor(records: MailRecords, name: string, validity: string) {
    this.#records = records
    this.#name = name
    this.#key = `${name}:${validity}`
  }

  /** Remembers, the first time, which mails were there before. */
  async open(newest: number): Promise<void> {
    const first = await this.#records.firstSight(this.#name, `${this.#key}:${newest}`)
    // After a change of validity every mail counts; those that were handled are recognised.
    this.#newest = first.startsWith(`${this.#key}:`) ? Number(first.slice(this.#key.length + 1)) : 0
  }

  async readUpTo(): Promise<number> {
    return (await this.#records.readUpTo(this.#key)) ?? 0
  }

  async markReadUpTo(uid: number): Promise<void> {
    await this.#records.markReadUpTo(this.#key, uid)
  }

  isOld(uid: number): boolean {
    return uid <= this.#newest
  }
}

/** New mail may have arrived: signalled once, however often it happens. */
class WakeFlag {
  #isNotified = false
  #wake = () => {}

  tell(): void {
    this.#isNotified = true
    this.#wake()
  }

  clear(): void {
    this.#isNotified = false
  }

  async wait(timer: (run: () => void) => () => void): Promise<void> {
    if (this.#isNotified) return
    const cancel = timer(() => this.tell())
    await new Promise<void>((resolve) => (this.#wake = resolve))
    cancel()
  }
}
