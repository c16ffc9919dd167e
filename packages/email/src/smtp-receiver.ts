import { networkOf } from '@cool-ai/beach-channel/http'
import { isBeachError, type Runtime } from '@cool-ai/beach-core'
import { withDefaults } from '@cool-ai/beach-core/runtime'
import { SMTPServer, type SMTPServerAddress, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { mailAddress, tagOf } from './address.ts'
import type { SmtpInbound } from './options.ts'
import { MailBuffer, SmtpLoadMeter, type SmtpLoad } from './smtp-load.ts'
import type { ArrivedMail, TakenMail } from './take-mail.ts'

export interface SmtpReceiverOptions {
  readonly runtime: Runtime
  readonly ours: string
  readonly host: string
  readonly maxBytes: number
  readonly take: (mail: ArrivedMail) => Promise<TakenMail>
}

interface OpenConnection {
  readonly id: string
  send(code: number, message: string): void
}

const maxRecipients = 20
const defaultLoadLimits = {
  connections: 100,
  maxNetworkConnections: 20,
  maxHeldBytes: 64 * 1024 * 1024,
  dataTimeoutMs: 120_000,
  idleTimeoutMs: 30_000,
} as const
const sessionPerData = 5
const crowded = 'Too much mail is on its way. Try again later.'

/**
 * Accepts mail for the agent's address only: it forwards nothing. A sender gets its 250 only once the mail is in the
 * log; when that is not possible now, it is asked to retry. Since any host can connect, the memory for clients is
 * bounded in sum and in time, and for each network.
 */
export class SmtpReceiver {
  readonly #options: SmtpReceiverOptions
  readonly #server: SMTPServer
  readonly #meter: SmtpLoadMeter
  readonly #dataTimeoutMs: number
  readonly #watches = new Map<string, () => void>()

  constructor({ tls, ...inbound }: SmtpInbound, options: SmtpReceiverOptions) {
    const limits = withDefaults(defaultLoadLimits, inbound)
    const { connections, maxNetworkConnections, maxHeldBytes, dataTimeoutMs, idleTimeoutMs } = limits
    // One mail of the largest size must fit.
    const held = Math.max(maxHeldBytes, options.maxBytes)
    const maxNetworkBytes = Math.max(held / 2, options.maxBytes)
    this.#options = options
    this.#dataTimeoutMs = dataTimeoutMs
    this.#meter = new SmtpLoadMeter({ maxNetworkConnections, maxHeldBytes: held, maxNetworkBytes })
    this.#server = new SMTPServer({
      ...tls,
      name: options.host,
      banner: 'Beach',
      size: options.maxBytes,
      authOptional: true,
      disabledCommands: tls === undefined ? ['AUTH', 'STARTTLS'] : ['AUTH'],
      hideSMTPUTF8: true,
      disableReverseLookup: true,
      maxClients: connections,
      socketTimeout: idleTimeoutMs,
      closeTimeout: 1_000,
      logger: false,
      onConnect: (session, done) => done(this.#connectionProblem(session)),
      onClose: ({ id }) => this.#closed(id),
      onMailFrom: ({ args }, session, done) => done(this.#sizeProblem(args, session)),
      onRcptTo: ({ address }, session, done) => done(this.#recipientProblem(address, session)),
      onData: (stream, session, done) => void this.#answer(stream, session, done),
    })
    this.#server.on('error', (error) => options.runtime.logger.log('debug', 'a mail connection failed', { error }))
  }

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

  get load(): SmtpLoad {
    return this.#meter.load
  }

  #connectionProblem({ id, remoteAddress }: SMTPServerSession): Error | undefined {
    if (!this.#meter.connect(id, networkOf(remoteAddress))) {
      return answer(421, 'Too many connections from your network. Try again later.')
    }
    const { clock } = this.#options.runtime
    const sessionMs = this.#dataTimeoutMs * sessionPerData
    this.#watches.set(
      id,
      clock.timer(sessionMs, () => this.#end(id, 'This connection has taken too long. Connect again.')),
    )
    return undefined
  }

  #closed(id: string): void {
    this.#meter.disconnect(id)
    this.#watches.get(id)?.()
    this.#watches.delete(id)
  }

  #sizeProblem(args: SMTPServerAddress['args'], { remoteAddress }: SMTPServerSession): Error | undefined {
    const size = typeof args === 'object' && 'SIZE' in args ? Number(args.SIZE) : 0
    const isFine = Number.isNaN(size) || this.#meter.hasRoom(networkOf(remoteAddress), size)
    return isFine ? undefined : answer(452, crowded)
  }

  #end(id: string, why: string): void {
    this.#options.runtime.logger.log('warn', 'a mail connection was ended', { why })
    for (const connection of this.#server.connections as Set<OpenConnection>) {
      if (connection.id === id) connection.send(421, why)
    }
  }

  #recipientProblem(address: string, { envelope }: SMTPServerSession): Error | undefined {
    const plain = mailAddress(address)
    if (plain === undefined || tagOf(this.#options.ours, plain) === undefined) {
      return answer(550, 'There is no such address here, and nothing is forwarded.')
    }
    return envelope.rcptTo.length >= maxRecipients ? answer(452, 'Too many recipients.') : undefined
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
    const { maxBytes, runtime } = this.#options
    const held = new MailBuffer(this.#meter, networkOf(session.remoteAddress), maxBytes)
    const cancel = runtime.clock.timer(this.#dataTimeoutMs, () => {
      held.release()
      this.#end(session.id, 'This mail has taken too long. Send it again.')
    })
    try {
      // The rest of a refused mail is read and discarded: the sender reads the answer only at its end.
      for await (const piece of stream as AsyncIterable<Buffer>) held.add(piece)
      cancel()
      if (held.dropped === 'large') return answer(552, `A mail may have ${maxBytes} bytes.`)
      if (held.dropped === 'full') return answer(452, crowded)
      return await this.#take(held.whole(), session)
    } finally {
      cancel()
      held.release()
    }
  }

  async #take(raw: Buffer, session: SMTPServerSession): Promise<Error | undefined> {
    const { envelope, remoteAddress, hostNameAppearsAs } = session
    const sender = envelope.mailFrom === false ? '' : envelope.mailFrom.address
    const taken = await this.#options.take({
      raw,
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
    return answer(451, 'It cannot be accepted now. Try again later.')
  }
}

function answer(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}
