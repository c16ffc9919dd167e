const quote = 0x22
const backslash = 0x5c
const firstPrintable = 0x20
const piecesPerBlock = 64

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** Receives the text of a string while it is being read. */
export type TextSink = (piece: string) => void

/** One JSON string after its opening quote, read from chunks that may end anywhere, even inside an escape. */
export class JsonString {
  status: 'open' | 'closed' | 'broken' = 'open'
  // Most strings arrive whole: the second piece is the first to need a list. Of long ones the pieces are joined block by
  // block, since many small objects that stay alive cost the garbage collector more per byte the longer the string is.
  #first = ''
  #rest: string[] = []
  #blocks: string[] = []
  #sink: TextSink | undefined
  #escape: 'none' | 'begun' | 'unicode' = 'none'
  #unit = 0
  #digits = 0

  begin(sink?: TextSink): void {
    this.status = 'open'
    this.#first = ''
    this.#sink = sink
  }

  /** Reads until the closing quote, the chunk's end or a unit that cannot stand here, and says where it stopped. */
  read(chunk: string, from: number): number {
    let at = from
    while (at < chunk.length) {
      if (this.#escape === 'none') {
        at = this.#readRun(chunk, at)
        if (this.status !== 'open') return at
      } else if (this.#readEscape(chunk, at)) at++
      else {
        this.status = 'broken'
        return at
      }
    }
    return at
  }

  take(): string {
    if (this.#rest.length + this.#blocks.length === 0) return this.#first
    const text = this.#first + this.#blocks.join('') + this.#rest.join('')
    this.#rest = []
    this.#blocks = []
    return text
  }

  #readRun(chunk: string, from: number): number {
    const end = endOfRun(chunk, from)
    if (end > from) this.#add(from === 0 && end === chunk.length ? chunk : chunk.slice(from, end))
    if (end === chunk.length) return end
    const stop = chunk.charCodeAt(end)
    if (stop === backslash) this.#escape = 'begun'
    else this.status = stop === quote ? 'closed' : 'broken'
    return this.status === 'broken' ? end : end + 1
  }

  /** Takes one unit of an escape; false when it cannot stand there. */
  #readEscape(chunk: string, at: number): boolean {
    const unit = chunk.charAt(at)
    if (this.#escape === 'unicode') return this.#readDigit(unit)
    if (unit === 'u') {
      this.#escape = 'unicode'
      this.#unit = 0
      this.#digits = 0
      return true
    }
    const meant = shortEscapes[unit]
    if (meant === undefined) return false
    this.#add(meant)
    this.#escape = 'none'
    return true
  }

  #readDigit(unit: string): boolean {
    if (!/^[0-9a-fA-F]$/.test(unit)) return false
    this.#unit = this.#unit * 16 + Number.parseInt(unit, 16)
    this.#digits++
    if (this.#digits < 4) return true
    this.#add(String.fromCharCode(this.#unit))
    this.#escape = 'none'
    return true
  }

  #add(piece: string): void {
    if (this.#first === '') this.#first = piece
    else if (this.#rest.push(piece) > piecesPerBlock) {
      this.#blocks.push(this.#rest.join(''))
      this.#rest = []
    }
    this.#sink?.(piece)
  }
}

function endOfRun(chunk: string, from: number): number {
  for (let at = from; at < chunk.length; at++) {
    const unit = chunk.charCodeAt(at)
    if (unit === quote || unit === backslash || unit < firstPrintable) return at
  }
  return chunk.length
}
