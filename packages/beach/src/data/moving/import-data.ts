import { BeachError, systemRuntime, type Artifact, type Runtime } from '@cool-ai/beach-core'
import { firstPlace } from '@cool-ai/beach-session/moving'
import type { DataRecord, StoredRecord } from './data-record.ts'
import type { RecordCounts } from './export-data.ts'
import { LineReader } from './export-lines.ts'
import { openTarget, type ImportProgress, type ImportTarget } from './import-target.ts'

/** What is imported, and into what. */
export interface ImportOptions {
  /** A new data folder, or the address of a PostgreSQL database without data of an agent. */
  readonly to: string
  /** The export, from its beginning, even if an import of it is continued. */
  readonly input: AsyncIterable<Uint8Array>
  readonly runtime?: Runtime | undefined
}

/** What an import has written. */
export interface Imported {
  readonly counts: RecordCounts
  /** Where an import that was cut off went on: the number of its last line. */
  readonly continuedAfter?: number
  /** True when it was there already, and nothing was changed. */
  readonly wasThere?: true
}

const maxRecords = 500
const maxCharacters = 1024 * 1024

/**
 * Writes an export into stores that are empty. An import that was cut off goes on when it is run again with the same
 * file; one that was done changes nothing. No agent may use the stores meanwhile.
 */
export async function importData(options: ImportOptions): Promise<Imported> {
  const { to, runtime = systemRuntime() } = options
  const lines = new LineReader(options.input)
  const restored = new RestoringRuntime(runtime)
  try {
    const { id, seqs } = await lines.header()
    const target = await openTarget({ to, seqs, runtime, artifactRuntime: restored })
    try {
      const before = await target.progress()
      await checkTarget(target, before, id, to)
      const run = new Import(
        lines,
        target,
        restored,
        before ?? { id, line: 0, sha: '', place: firstPlace, isDone: false },
      )
      const counts = await run.run()
      if (before === undefined) return { counts }
      return before.isDone ? { counts, wasThere: true } : { counts, continuedAfter: before.line }
    } finally {
      await target.close()
    }
  } finally {
    await lines.close()
  }
}

async function checkTarget(
  target: ImportTarget,
  before: ImportProgress | undefined,
  id: string,
  to: string,
): Promise<void> {
  const name = to.includes('://') ? 'The database' : to
  if (before !== undefined && before.id !== id) {
    throw new BeachError(
      'INVALID_CONFIGURATION',
      `${name} has the data of another export (${before.id}; this one is ${id}). Import into an empty place.`,
    )
  }
  if (before === undefined && !(await target.isEmpty())) {
    throw new BeachError('INVALID_CONFIGURATION', `${name} has data already. Import into an empty place.`)
  }
}

class Import {
  readonly #lines: LineReader
  readonly #target: ImportTarget
  readonly #restored: RestoringRuntime
  readonly #startLine: number
  #progress: ImportProgress
  #batch: StoredRecord[] = []
  /** The last line that is in it. */
  #gathered = { line: 0, sha: '' }
  #characters = 0

  constructor(lines: LineReader, target: ImportTarget, restored: RestoringRuntime, progress: ImportProgress) {
    this.#lines = lines
    this.#target = target
    this.#restored = restored
    this.#progress = progress
    this.#startLine = progress.line
    // The header is read already.
    this.#compare()
  }

  async run(): Promise<RecordCounts> {
    for (;;) {
      const record = await this.#lines.next()
      if (record.kind === 'end') {
        if (!this.#progress.isDone) await this.#write(this.#lines, true)
        return record.counts
      }
      if (this.#lines.line <= this.#startLine) this.#compare()
      else await this.#take(record)
    }
  }

  /** What was imported before must be what this file has there. */
  #compare(): void {
    const { line, sha, isDone } = this.#progress
    if (this.#lines.line === line && this.#lines.sha !== sha && !isDone) {
      throw new BeachError('BAD_REQUEST', `Line ${line} is another than when the import began. Use the same file.`)
    }
  }

  async #take(record: DataRecord): Promise<void> {
    switch (record.kind) {
      case 'artifact':
        await this.#flush()
        return this.#restore(record.artifact)
      case 'key':
      case 'session':
      case 'events':
      case 'highest':
      case 'address':
      case 'identityEvent':
        this.#gathered = { line: this.#lines.line, sha: this.#lines.sha }
        this.#batch.push(record)
        // An event is by far the largest of them.
        this.#characters += record.kind === 'events' ? JSON.stringify(record.events).length : 0
        if (this.#batch.length >= maxRecords || this.#characters >= maxCharacters) await this.#flush()
        return undefined
      default:
        throw new BeachError(
          'BAD_REQUEST',
          `Line ${this.#lines.line} is of a kind that is not expected there ('${record.kind}'). A newer version of Beach may have written it.`,
        )
    }
  }

  /** Writes what is gathered, up to the last line of it. */
  async #flush(): Promise<void> {
    if (this.#batch.length > 0) await this.#write(this.#gathered, false)
  }

  async #write({ line, sha }: { readonly line: number; readonly sha: string }, isDone: boolean): Promise<void> {
    this.#progress = await this.#target.write(this.#batch, { ...this.#progress, line, sha, isDone })
    this.#batch = []
    this.#characters = 0
  }

  async #restore(artifact: Artifact): Promise<void> {
    const { artifactId, tenant } = artifact
    const content = this.#bytes(artifact)
    const there = await this.#target.artifacts.get(artifactId, tenant)
    // It was stored, and the process ended before that was noted.
    if (there !== undefined) for await (const _ of content);
    else {
      this.#restored.restore(artifact)
      const { sha256 } = await this.#target.artifacts.put(content, artifact)
      if (sha256 !== artifact.sha256) {
        await this.#target.artifacts.delete(artifactId, tenant)
        throw new BeachError('BAD_REQUEST', `The artifact ${artifactId} was damaged before it was exported.`)
      }
    }
    await this.#write(this.#lines, false)
  }

  async *#bytes({ artifactId, sizeBytes }: Artifact): AsyncGenerator<Uint8Array> {
    for (let length = 0; length < sizeBytes;) {
      const record = await this.#lines.next()
      if (record.kind !== 'bytes') {
        throw new BeachError('BAD_REQUEST', `Line ${this.#lines.line} should have bytes of artifact ${artifactId}.`)
      }
      const bytes = Buffer.from(record.base64, 'base64')
      length += bytes.length
      yield bytes
    }
  }
}

/** Gives the next artifact the id and the time that it had. */
class RestoringRuntime implements Runtime {
  readonly #runtime: Runtime
  #artifact: Artifact | undefined

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  restore(artifact: Artifact): void {
    this.#artifact = artifact
  }

  get logger() {
    return this.#runtime.logger
  }

  get clock() {
    const { clock } = this.#runtime
    return { ...clock, timer: clock.timer.bind(clock), now: () => this.#artifact?.createdAt ?? clock.now() }
  }

  id(prefix: string): string {
    return prefix === 'art' && this.#artifact !== undefined ? this.#artifact.artifactId : this.#runtime.id(prefix)
  }

  random(): number {
    return this.#runtime.random()
  }
}
