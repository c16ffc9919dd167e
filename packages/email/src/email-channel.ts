import { AskDigest } from '@cool-ai/beach-channel/people'
import { BeachError, type Channel, type SendOutcome, type Sessions } from '@cool-ai/beach-core'
import { withDefaults } from '@cool-ai/beach-core/runtime'
import { mailAddress } from './address.ts'
import { ApprovalPage, approvalPagePath } from './approval-page.ts'
import { emailPreview } from './email-preview.ts'
import { emailContext } from './email-context.ts'
import { ImapReader } from './imap-reader.ts'
import { MailSender, type PlainMail } from './mail-sender.ts'
import type { EmailChannelOptions } from './options.ts'
import type { SmtpLoad } from './smtp-load.ts'
import { SmtpReceiver } from './smtp-receiver.ts'
import { MailIntake } from './take-mail.ts'

// Mail servers are given an hour and more to come back, and a conversation that is over its limit its next hour.
const defaultPush = { attempts: 18, timeoutMs: 90_000 }

/** A channel by mail. */
export interface EmailChannel extends Channel {
  /** Where the built-in receiver listens; undefined before the start, or without one. */
  smtpPort(): number | undefined
  /** What clients of the built-in receiver have open and have sent at the moment. */
  smtpLoad(): SmtpLoad
  /** Sends a mail that is of no conversation, such as a code that proves an address. */
  write(mail: PlainMail): Promise<SendOutcome>
}

/**
 * Mail in and out. In: from a mailbox by IMAP, from other servers by SMTP, or both. A thread is a session; an answer is a
 * mail with the answer as text and HTML, files attached; approvals are asked for and answered by mail.
 */
export function emailChannel(options: EmailChannelOptions): EmailChannel {
  const context = emailContext(options)
  const sender: MailSender = new MailSender(context, () => digest)
  let sessions: Sessions | undefined
  let port: number | undefined
  const draining = new AbortController()
  let receiver: SmtpReceiver | undefined
  const running = (): Sessions => {
    if (sessions === undefined) throw new BeachError('INTERNAL', 'The email channel has not been started.')
    return sessions
  }
  const digest = new AskDigest({
    ...context,
    store: options.store,
    transport: 'smtp',
    asksPerWindow: context.limits.asksPerWindow,
    sessions: running,
    send: (asks, key) => sender.sendDigest(asks, key),
  })
  const page = options.publicUrl === undefined ? undefined : new ApprovalPage(context, running)
  return {
    transport: 'smtp',
    deliveryClass: 'buffered',
    push: withDefaults(defaultPush, options.push),
    reaches: ({ address }) => address !== undefined,
    ...(page && {
      paths: [approvalPagePath],
      secretPaths: [approvalPagePath],
      fetch: (request) => page.fetch(request),
    }),
    smtpPort: () => port,
    smtpLoad: () => receiver?.load ?? { connections: 0, bytes: 0 },
    write: (mail) => sender.write(mail),
    send: (to, envelope, key) => sender.send(to, envelope, key),
    preview: emailPreview({ ...options, partTypes: context.partTypes, attachedBytes: context.limits.attachedBytes }),
    async forget({ address }) {
      const plain = mailAddress(address ?? '')
      if (plain === undefined) return
      await context.records.forget(plain)
      await digest.forget(plain)
    },
    // Mails are left where they are, for the next process; answers still go out.
    async drain() {
      draining.abort()
    },
    async start(given, signal) {
      const taking = AbortSignal.any([signal, draining.signal])
      sessions = given
      const intake = new MailIntake(context, sender, given)
      await digest.start(signal)
      const { runtime, records, limits, ours, host } = context
      const shared = { runtime, records, ours, host, maxBytes: limits.mailBytes }
      const take = (mail: Parameters<MailIntake['take']>[0]) => {
        // The sender is told to retry: the next process takes it.
        if (taking.aborted) throw new BeachError('STORE_CLOSED', 'The agent is shutting down.')
        return intake.take(mail)
      }
      signal.addEventListener('abort', () => context.server.close(), { once: true })
      if (options.smtp !== undefined) {
        const listening = new SmtpReceiver(options.smtp, { ...shared, take: async (mail) => take(mail) })
        receiver = listening
        port = await listening.listen(options.smtp)
        taking.addEventListener('abort', () => listening.close(), { once: true })
      }
      if (options.imap !== undefined) {
        const reader = new ImapReader(options.imap, { ...shared, take: async (mail) => take(mail) })
        const { promise, resolve } = Promise.withResolvers<void>()
        void reader.run(taking, resolve)
        await promise
      }
    },
  }
}
