import type { Telemetry } from './ports/telemetry.ts'
import { SessionLog, type CommitOptions, type Committed, type Decide, type SessionLogOptions } from './session-log.ts'

/** A session log with a report on each of its commits. */
export class ReportedLog extends SessionLog {
  readonly #telemetry: Telemetry

  constructor(options: SessionLogOptions, telemetry: Telemetry) {
    super(options)
    this.#telemetry = telemetry
  }

  override commit(session: string, decide: Decide, options?: CommitOptions): Promise<Committed> {
    return this.#telemetry.run({ kind: 'commit', session }, async () => {
      const committed = await super.commit(session, decide, options)
      this.#telemetry.committed(session, committed)
      return committed
    })
  }
}
