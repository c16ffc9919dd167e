import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { connect, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { BeachError, systemClock, type Logger } from '@cool-ai/beach-core'
import type { AuditEntry } from './audit-entry.ts'

const facility = 13
const severities = { look: 6, act: 5, refused: 4 }
/** As much may wait for a collector that does not answer; the record itself has all of it. */
const maxWaiting = 1_000
/** Bytes that are written to a collector that has not read them yet. */
const maxUnread = 1024 * 1024
const retryMs = 1_000

/** An entry as a message of RFC 5424: its members as structured data, for programs, and a sentence for people. */
export function syslogLine(entry: AuditEntry, tenant: string, agent: string): string {
  const { n, at, by, kind, what, session, detail, hash } = entry
  const members = { n: String(n), tenant, by, kind, what, session, detail, hash }
  const data = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}="${quoted(value)}"`,
  )
  const priority = facility * 8 + severities[kind]
  const time = new Date(at).toISOString()
  const header = `<${priority}>1 ${time} ${word(hostname(), 255)} ${word(agent, 48)} ${process.pid} ${word(what, 32)}`
  return `${header} [beach@32473 ${data.join(' ')}] ${plain(`${by} ${kind} ${what}`)}`
}

/** Sends entries to a collector of syslog: `udp://host:514`, `tcp://host:601` (octet counting), or `stdout`. */
export class AuditSyslog {
  readonly #send: (line: string) => void
  readonly #agent: string
  readonly close: () => void

  constructor(target: string, { agent, logger }: { readonly agent: string; readonly logger: Logger }) {
    this.#agent = agent
    const { send, close } = writerOf(target, logger)
    this.#send = send
    this.close = close
  }

  readonly written = (entry: AuditEntry, tenant: string): void => this.#send(syslogLine(entry, tenant, this.#agent))
}

interface Writer {
  readonly send: (line: string) => void
  readonly close: () => void
}

function writerOf(target: string, logger: Logger): Writer {
  if (target === 'stdout') return { send: (line) => process.stdout.write(`${line}\n`), close: () => {} }
  const url = URL.canParse(target) ? new URL(target) : undefined
  const place = { host: url?.hostname.replace(/^\[|\]$/g, '') ?? '', port: Number(url?.port) }
  if (url?.protocol === 'udp:' && place.host !== '' && place.port > 0) return udpWriter(place, logger)
  if (url?.protocol === 'tcp:' && place.host !== '' && place.port > 0) return tcpWriter(place, logger)
  throw new BeachError(
    'INVALID_CONFIGURATION',
    '`audit.syslog` is `stdout`, or an address with its port such as `udp://127.0.0.1:514` or `tcp://127.0.0.1:601`.',
  )
}

interface Place {
  readonly host: string
  readonly port: number
}

function udpWriter({ host, port }: Place, logger: Logger): Writer {
  const socket: UdpSocket = createSocket(host.includes(':') ? 'udp6' : 'udp4').unref()
  const lost = (error: Error) => logger.log('warn', 'an audit entry did not reach the collector', { error })
  socket.on('error', lost)
  return { send: (line) => socket.send(line, port, host, (error) => error && lost(error)), close: () => socket.close() }
}

/** Keeps what a collector did not take, up to a limit, and connects again. */
function tcpWriter({ host, port }: Place, logger: Logger): Writer {
  const waiting: string[] = []
  let socket: Socket | undefined
  let cancelRetry: (() => void) | undefined
  let isOpen = false
  let isClosed = false
  const nextFor = (most: number) => (socket !== undefined && socket.writableLength < most ? waiting.shift() : undefined)
  const flush = (most = maxUnread) => {
    for (let line = nextFor(most); line !== undefined; line = nextFor(most)) {
      socket?.write(`${Buffer.byteLength(line)} ${line}`)
    }
  }
  const open = () => {
    cancelRetry = undefined
    socket = connect(port, host, () => {
      isOpen = true
      flush()
    })
    socket.unref()
    socket.on('drain', () => flush())
    socket.on('error', (error) => logger.log('warn', 'the collector of audit entries cannot be reached', { error }))
    socket.on('close', () => {
      isOpen = false
      socket = undefined
      if (waiting.length > 0) again()
    })
  }
  const again = () => {
    if (!isClosed) cancelRetry ??= systemClock.timer(retryMs, open)
  }
  return {
    send(line) {
      waiting.push(line)
      if (isOpen) flush()
      if (waiting.length > maxWaiting) {
        waiting.shift()
        logger.log('warn', 'an audit entry did not reach the collector', {})
      }
      if (!isOpen && socket === undefined && cancelRetry === undefined && !isClosed) open()
    },
    close() {
      isClosed = true
      cancelRetry?.()
      if (isOpen) flush(Infinity)
      socket?.end()
    },
  }
}

/** A word of the header: visible ASCII without spaces. */
function word(text: string, most: number): string {
  return text.replaceAll(/[^\x21-\x7e]/g, '_').slice(0, most) || '-'
}

/** A value of structured data. */
function quoted(text: string): string {
  return plain(text).replaceAll(/["\\\]]/g, String.raw`\$&`)
}

/** Without anything that could begin another line or move a terminal's cursor. */
function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is taken out.
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
}
