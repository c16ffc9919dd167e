/** A row of a result, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>

/**
 * What we use of a connection of the package `pg`. Our public types do not name that package's: it is installed only
 * where there is a database.
 */
export interface Connection {
  query(statement: string | object, values?: unknown[]): Promise<{ readonly rows: readonly Row[] }>
  end(): Promise<void>
}

/** A connection whose events are heard, too. */
export interface ListeningConnection extends Connection {
  on(
    event: 'notification',
    take: (message: { readonly channel: string; readonly payload?: string | undefined }) => void,
  ): unknown
  once(event: 'end' | 'error', take: () => void): unknown
}
