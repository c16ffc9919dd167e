import { join } from 'node:path'
import type { Store } from '@cool-ai/beach-core'
import { SessionFiles } from './session-files.ts'
import { StoredValues, type StoredValuesOptions } from './stored-values.ts'

/** Something that each session has besides its log, such as a basket. */
export interface SessionValues<Value> {
  /** The session's value; the empty one when it has none yet. */
  load(session: string, signal?: AbortSignal): Promise<Value>
  /** Keeps what `change` makes of the value, all of it or nothing; changes of one session come one after the other. */
  update(session: string, change: (value: Value) => Value, signal?: AbortSignal): Promise<Value>
}

export interface SessionValuesOptions<Value> extends Omit<StoredValuesOptions<Value>, 'store'> {
  /** Where files are, within the agent's folder. */
  readonly folder: string
}

/** Where the agent keeps its data. */
export interface ValuesPlace {
  readonly folder: string
  readonly store?: string | undefined
}

/** As files where the agent has a folder; otherwise in its store, where all its processes find them. */
export function sessionValues<Value>(
  { store }: { readonly store: Store },
  place: ValuesPlace,
  { folder, ...options }: SessionValuesOptions<Value>,
): SessionValues<Value> {
  const hasFolder = place.store === undefined || place.store === 'sqlite'
  return hasFolder
    ? new SessionFiles({ ...options, folder: join(place.folder, folder) })
    : new StoredValues({ ...options, store })
}
