import type { Runtime, SendOutcome } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { createTransport, type SendMailOptions, type Transporter } from 'nodemailer'
import type SMTPPool from 'nodemailer/lib/smtp-pool'
import type { MailOutbound } from './options.ts'

const connectMs = 15_000
const silenceMs = 60_000

/** Codes of the server by which it refuses this mail for good; a failed login may be corrected. */
function isFinal(code: number): boolean {
  return code >= 500 && code < 600 && code !== 530 && code !== 534 && code !== 535 && code !== 538
}

/** The server that sends our mails, by a few connections that stay open. */
export class MailServer {
  readonly #transport: Transporter<SMTPPool.SentMessageInfo>
  readonly #runtime: Runtime

  constructor(outbound: MailOutbound, runtime: Runtime) {
    const { connections = 3, dkim, tls, auth, ...server } = outbound
    this.#runtime = runtime
    this.#transport = createTransport({
      ...server,
      ...defined({ auth: auth && { ...auth }, tls: tls && { ...tls }, dkim: dkim && { ...dkim } }),
      pool: true,
      maxConnections: connections,
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      socketTimeout: silenceMs,
      // Attachments are always given as bytes: a file name or an address is never followed.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }

  async send(mail: SendMailOptions): Promise<SendOutcome> {
    try {
      const { response } = await this.#transport.sendMail({ ...mail, disableFileAccess: true, disableUrlAccess: true })
      return { status: 'sent', externalId: response.slice(0, 200) }
    } catch (error) {
      const code =
        typeof error === 'object' && error !== null && 'responseCode' in error ? error.responseCode : undefined
      const about = { messageId: mail.messageId, reason: withoutAddresses(error) }
      this.#runtime.logger.log('warn', 'a mail was not taken by the server', about)
      if (typeof code === 'number') {
        return { status: isFinal(code) ? 'refused' : 'failed', reason: `The mail server answered ${code}.` }
      }
      return { status: 'failed', reason: 'The mail server was not reached.' }
    }
  }

  close(): void {
    this.#transport.close()
  }
}

/** What went wrong, for the log: servers repeat the address that they refuse, which is a person's. */
function withoutAddresses(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error)
  return said.replaceAll(/[^\s<>()[\]"',;]+@[^\s<>()[\]"',;]+/g, '…')
}
