import { inContext, started, type InContext } from '@cool-ai/beach-channel'
import { AskDigest } from '@cool-ai/beach-channel/people'
import { BeachError, type Channel, type SendOutcome } from '@cool-ai/beach-core'
import { withDefaults } from '@cool-ai/beach-core/runtime'
import { mailAddress } from './address.ts'
import { ApprovalPage, approvalPagePath } from './approval-page.ts'
import { PressPage, pressPagePath } from './press-page.ts'
import { emailPreview } from './email-preview.ts'
import { checkedOptions, emailContext } from './email-context.ts'
import { MailSender, type PlainMail } from './mail-sender.ts'
import type { EmailChannelOptions } from './options.ts'
import type { SmtpLoad } from './smtp-load.ts'
import type { SmtpReceiver } from './smtp-receiver.ts'
import { MailIntake } from './take-mail.ts'

// Mail servers get an hour and more to recover, and an address that is over its limit its next hour.
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
export function email(options: EmailChannelOptions): EmailChannel {
  checkedOptions(options)
  const draining = new AbortController()
  let mail: ReturnType<typeof openMail> | undefined
  return {
    transport: 'smtp',
    deliveryClass: 'buffered',
    push: withDefaults(defaultPush, options.push),
    reaches: ({ address }) => address !== undefined,
    paths: [approvalPagePath, pressPagePath],
    secretPaths: [approvalPagePath, pressPagePath],
    fetch: (request) => started(mail).fetch(request),
    smtpPort: () => mail?.port(),
    smtpLoad: () => mail?.load() ?? { connections: 0, bytes: 0 },
    write: async (plain) => started(mail).sender.write(plain),
    send: async (to, envelope, key) => started(mail).sender.send(to, envelope, key),
    preview: async (turn) => started(mail).preview(turn),
    openapi: async () => (await import('./mail-openapi.ts')).mailOpenApi(),
    forget: async ({ address }) => started(mail).forget(address),
    // Mails stay where they are, for the next process; answers still go out.
    async drain() {
      draining.abort()
    },
    async start(context) {
      mail = openMail(inContext(options, context), draining.signal)
      await mail.listen()
    },
  }
}

/** @deprecated Use `email`. */
export const emailChannel = email

function openMail(options: InContext<EmailChannelOptions>, draining: AbortSignal) {
  const { signal, sessions } = options
  const context = emailContext(options)
  const sender: MailSender = new MailSender(context, () => digest)
  const digest = new AskDigest({
    ...context,
    store: options.store,
    sessions,
    transport: 'smtp',
    asksPerWindow: context.limits.asksPerWindow,
    send: (asks, key) => sender.sendDigest(asks, key),
  })
  const intake = new MailIntake(context, sender, sessions)
  const taking = AbortSignal.any([signal, draining])
  const take = async (mail: Parameters<MailIntake['take']>[0]) => {
    // The sender is told to retry: the next process takes the mail.
    if (taking.aborted) throw new BeachError('STORE_CLOSED', 'The agent is shutting down.')
    return intake.take(mail)
  }
  const { runtime, records, limits, ours, host } = context
  const shared = { runtime, records, ours, host, maxBytes: limits.mailBytes, take }
  const [approvalPage, pressPage] = [new ApprovalPage(context), new PressPage(context)]
  const isPress = (request: Request) => new URL(request.url).pathname.includes('/actions/by-mail/')
  let receiver: SmtpReceiver | undefined
  let port: number | undefined
  return {
    sender,
    fetch: (request: Request) => (isPress(request) ? pressPage : approvalPage).fetch(request),
    preview: emailPreview({ ...context.options, attachedBytes: limits.attachedBytes }),
    port: () => port,
    load: () => receiver?.load,
    async forget(address: string | undefined) {
      const plain = mailAddress(address ?? '')
      if (plain === undefined) return
      await records.forget(plain)
      await digest.forget(plain)
    },
    async listen() {
      await digest.start(signal)
      signal.addEventListener('abort', () => context.server.close(), { once: true })
      if (options.smtp !== undefined) {
        const { SmtpReceiver: Receiver } = await import('./smtp-receiver.ts')
        const listening = new Receiver(options.smtp, shared)
        receiver = listening
        port = await listening.listen(options.smtp)
        taking.addEventListener('abort', () => listening.close(), { once: true })
      }
      if (options.imap !== undefined) {
        const { ImapReader } = await import('./imap-reader.ts')
        const reader = new ImapReader(options.imap, shared)
        const { promise, resolve } = Promise.withResolvers<void>()
        void reader.run(taking, resolve)
        await promise
      }
    },
  }
}
