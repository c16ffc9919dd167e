import type { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import type { Statements } from './statements.ts'

/**
 * Carries live text between processes. It may lose messages, and keeps the order of those of one sender. The default
 * one uses the database; a message broker can take its place where that is too much for it.
 */
export interface LiveBus {
  /** Gives the messages for a process to it from now on. */
  listen(process: string, take: (message: string) => void): Promise<void>
  /** Resolves when it takes the next message for that process: senders wait, and drop what gets too much meanwhile. */
  send(process: string, message: string): Promise<void>
  close(): Promise<void>
}

// A notification holds less than 8,000 bytes; a unit of UTF-16 takes up to three, and the head has room next to it.
const maxPiece = 2_600
const maxUnfinished = 100

/** Cuts a message into notifications, each with its number and how many there are. */
function piecesOf(sender: string, number: number, message: string): string[] {
  const size = isAscii(message) ? 3 * maxPiece : maxPiece
  const texts: string[] = []
  for (let start = 0; start < message.length;) {
    const end = start + size
    // Both halves of a character stay together.
    const isSplit = (message.charCodeAt(end - 1) & 0xfc00) === 0xd800 && end < message.length
    texts.push(message.slice(start, isSplit ? end - 1 : end))
    start = isSplit ? end - 1 : end
  }
  return texts.map((text, index) => `l${sender} ${number} ${index} ${texts.length} ${text}`)
}

function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- all of ASCII is meant.
  return /^[\0-\x7f]*$/.test(text)
}

/** Puts notifications together again. What lacks a piece is forgotten. */
class Assembly {
  readonly #unfinished = new Map<string, string[]>()

  /** The message, once its last piece is there. */
  add(piece: string): string | undefined {
    const [, key = '', index = '', count = '', text = ''] = /^l(\S+ \S+) (\d+) (\d+) (.*)$/s.exec(piece) ?? []
    if (count === '1') return text
    const pieces = Number(index) === 0 ? [] : this.#unfinished.get(key)
    if (pieces === undefined || pieces.length !== Number(index)) {
      this.#unfinished.delete(key)
      return undefined
    }
    pieces.push(text)
    this.#unfinished.delete(key)
    if (pieces.length === Number(count)) return pieces.join('')
    this.#unfinished.set(key, pieces)
    for (const oldest of this.#unfinished.keys())
      if (this.#unfinished.size > maxUnfinished) this.#unfinished.delete(oldest)
    return undefined
  }
}

/** Live text by notifications of the database. */
export class NotifyBus implements LiveBus {
  readonly #database: PostgresDatabase
  readonly #sql: Pick<Statements, 'notify'>
  readonly #channel: (process: string) => string
  readonly #assembly = new Assembly()
  #me = ''
  #take: (message: string) => void = () => {}
  #sent = 0

  constructor(database: PostgresDatabase, sql: Pick<Statements, 'notify'>, channel: (process: string) => string) {
    this.#database = database
    this.#sql = sql
    this.#channel = channel
  }

  async listen(process: string, take: (message: string) => void): Promise<void> {
    this.#me = process
    this.#take = take
  }

  async send(process: string, message: string): Promise<void> {
    const pieces = piecesOf(this.#me, this.#sent++, message)
    await this.#database.write(this.#sql.notify, [this.#channel(process), pieces], { durable: false })
  }

  /** A notification has come on this process's channel. */
  receive(piece: string): void {
    const message = this.#assembly.add(piece)
    if (message !== undefined) this.#take(message)
  }

  async close(): Promise<void> {
    this.#take = () => {}
  }
}
