import { Client, type ClientConfig } from 'pg'
import { StandbyError } from './postgres-errors.ts'

/** What a server reports of itself without being asked, from version 14 on: at the start, and when it changes. */
interface Reporting {
  on(event: 'parameterStatus', take: (status: { parameterName: string; parameterValue: string }) => void): void
}

const readOnlySettings: ReadonlySet<string> = new Set(['in_hot_standby', 'default_transaction_read_only'])

/**
 * A connection to a server that takes writes. After a failover an address can lead to a standby, or to the old primary
 * that was set to read only: what they have is past, so they are not read from either.
 */
export class PrimaryClient extends Client {
  readonly #readOnlyBy = new Set<string>()
  #isInUse = false

  constructor(settings?: string | ClientConfig) {
    super(settings)
    const { connection } = this as unknown as { readonly connection: Reporting }
    connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (!readOnlySettings.has(parameterName)) return
      if (parameterValue === 'on') this.#readOnlyBy.add(parameterName)
      else this.#readOnlyBy.delete(parameterName)
      if (this.#isInUse && this.#readOnlyBy.size > 0) this.end().catch(() => {})
    })
  }

  /** To be called when it is connected: throws where no writes are taken. From then on it ends when that changes. */
  refuseStandby(): void {
    if (this.#readOnlyBy.size > 0) throw new StandbyError()
    this.#isInUse = true
  }
}
