import { createHash } from 'node:crypto'
import { BeachError } from '@cool-ai/beach-core'
import type { DataRecord, ExportHeader } from './data-record.ts'

const shaLength = ',"sha":"'.length + 64 + '"}'.length
const newline = 0x0a

/** The hash of a line covers all lines before it, so that none can be altered, left out or moved. */
function chained(before: string, text: string): string {
  return createHash('sha256').update(before).update(text).digest('hex')
}

/** Makes the lines of an export: JSON objects, each with a hash at its end. */
export class LineWriter {
  #sha = ''

  line(record: DataRecord): string {
    const text = JSON.stringify(record).slice(0, -1)
    this.#sha = chained(this.#sha, text)
    return `${text},"sha":"${this.#sha}"}\n`
  }
}

/** Reads the lines of an export one after the other, and refuses what was altered or cut. */
export class LineReader {
  readonly #lines: AsyncGenerator<string>
  /** The number of the last line that was read. */
  line = 0
  /** Its hash. */
  sha = ''

  constructor(input: AsyncIterable<Uint8Array>) {
    this.#lines = linesOf(input)
  }

  async header(): Promise<ExportHeader> {
    const first = await this.next()
    if (first.kind === 'export' && first.version === 1) return first
    throw new BeachError('BAD_REQUEST', 'The first line is not that of an export which this version of Beach reads.')
  }

  /** The next record; the last one is of kind `end`. */
  async next(): Promise<DataRecord> {
    const { done, value: line } = await this.#lines.next()
    if (done === true) {
      throw new BeachError(
        'BAD_REQUEST',
        `The export is cut: it stops after line ${this.line}, without its last line. Import the whole file; what was imported is not repeated.`,
      )
    }
    const text = line.slice(0, -shaLength)
    const sha = chained(this.sha, text)
    if (line.slice(-shaLength) !== `,"sha":"${sha}"}`) {
      throw new BeachError(
        'BAD_REQUEST',
        `Line ${this.line + 1} of the export is not what was written there: the file was altered, or its lines are not in order. Nothing of that line on was imported.`,
      )
    }
    this.line++
    this.sha = sha
    return JSON.parse(`${text}}`) as DataRecord
  }

  async close(): Promise<void> {
    await this.#lines.return(undefined)
  }
}

/** Whole lines only: text after the last end of a line is none. */
async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let parts: Uint8Array[] = []
  for await (const chunk of input) {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      parts.push(chunk.subarray(start, end))
      yield Buffer.concat(parts).toString('utf8')
      parts = []
      start = end + 1
    }
    if (start < chunk.length) parts.push(chunk.subarray(start))
  }
}
