import { isBeachError, type Runtime } from '@cool-ai/beach-core'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { mailAddress, tagOf } from './address.ts'
import type { SmtpInbound } from './options.ts'
import type { ArrivedMail, TakenMail } from './take-mail.ts'

export interface SmtpReceiverOptions {
  readonly runtime: Runtime
  readonly ours: string
  readonly host: string
  readonly mostBytes: number
  readonly take: (mail: ArrivedMail) => Promise<TakenMail>
}

const mostRecipients = 20
const silenceMs = 60_000

/**
 * Takes mail for the agent's address, and for nobody else: it forwards nothing. A sender is told that its mail was taken
 * only once that is in the log; when it cannot be now, it is asked to come again.
 */
export class SmtpReceiver {
  readonly #options: SmtpReceiverOptions
  readonly #server: SMTPServer

  constructor({ tls, connections = 100 }: SmtpInbound, options: SmtpReceiverOptions) {
    this.#options = options
    this.#server = new SMTPServer({
      ...tls,
      name: options.host,
      banner: 'Beach',
      size: options.mostBytes,
      authOptional: true,
      disabledCommands: tls === undefined ? ['AUTH', 'STARTTLS'] : ['AUTH'],
      hideSMTPUTF8: true,
      disableReverseLookup: true,
      maxClients: connections,
      socketTimeout: silenceMs,
      closeTimeout: 1_000,
      logger: false,
      onRcptTo: ({ address }, session, done) => done(this.#recipientProblem(address, session)),
      onData: (stream, session, done) => void this.#answer(stream, session, done),
    })
    this.#server.on('error', (error) => options.runtime.logger.log('debug', 'a mail connection failed', { error }))
  }

  /** Resolves with the port, once it listens. */
  async listen({ port, host }: SmtpInbound): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.server.once('error', reject)
      this.#server.listen(port, host, () => {
        this.#server.server.off('error', reject)
        resolve()
      })
    })
    const address = this.#server.server.address()
    return typeof address === 'object' && address !== null ? address.port : port
  }

  close(): void {
    this.#server.close(() => {})
  }

  #recipientProblem(address: string, { envelope }: SMTPServerSession): Error | undefined {
    const plain = mailAddress(address)
    if (plain === undefined || tagOf(this.#options.ours, plain) === undefined) {
      return answer(550, 'There is no such address here, and nothing is forwarded.')
    }
    return envelope.rcptTo.length >= mostRecipients ? answer(452, 'Too many recipients.') : undefined
  }

  async #answer(
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
    done: (problem?: Error) => void,
  ): Promise<void> {
    let problem: Error | undefined
    try {
      problem = await this.#receive(stream, session)
    } catch (error) {
      problem = this.#problemOf(error)
    }
    done(problem)
  }

  async #receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<Error | undefined> {
    const { mostBytes, take } = this.#options
    const pieces: Buffer[] = []
    let bytes = 0
    for await (const piece of stream as AsyncIterable<Buffer>) {
      bytes += piece.byteLength
      // The rest is read and forgotten: the sender listens only at its end.
      if (bytes <= mostBytes) pieces.push(piece)
      else pieces.length = 0
    }
    if (bytes > mostBytes) return answer(552, `A mail may have ${mostBytes} bytes.`)
    const { envelope, remoteAddress, hostNameAppearsAs } = session
    const sender = envelope.mailFrom === false ? '' : envelope.mailFrom.address
    const taken = await take({
      raw: Buffer.concat(pieces),
      recipients: envelope.rcptTo.flatMap(({ address }) => mailAddress(address) ?? []),
      returnPath: sender,
      connection: { ip: remoteAddress, helo: typeof hostNameAppearsAs === 'string' ? hostNameAppearsAs : '', sender },
    })
    if (taken.status !== 'refused') return undefined
    return answer(taken.isTemporary === true ? 450 : 550, `Not taken: ${taken.reason}`)
  }

  #problemOf(error: unknown): Error {
    this.#options.runtime.logger.log('warn', 'a mail was not taken', { error })
    if (isBeachError(error) && !error.retryable && error.code !== 'STORE_CLOSED') {
      return answer(error.code === 'TOO_LARGE' ? 552 : 550, error.message)
    }
    return answer(451, 'It cannot be taken now. Try again later.')
  }
}

function answer(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}
