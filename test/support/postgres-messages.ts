interface Message {
  /** Empty for the first message of a client, which has none. */
  readonly type: string
  readonly bytes: Buffer
}

/** Cuts what arrives into messages of PostgreSQL's protocol. */
export class Messages {
  #rest: Buffer = Buffer.alloc(0)
  #hasTypes: boolean

  constructor(hasTypes: boolean) {
    this.#hasTypes = hasTypes
  }

  add(data: Buffer): Message[] {
    const messages: Message[] = []
    let rest = Buffer.concat([this.#rest, data])
    for (;;) {
      const at = this.#hasTypes ? 1 : 0
      if (rest.length < at + 4) break
      const size = at + rest.readInt32BE(at)
      if (rest.length < size) break
      messages.push({ type: at === 1 ? String.fromCharCode(rest[0] ?? 0) : '', bytes: rest.subarray(0, size) })
      this.#hasTypes = true
      rest = rest.subarray(size)
    }
    this.#rest = rest
    return messages
  }
}
