import { ServerProcess } from '../server-process.ts'
import { aguiPerson, plainPerson, type Person } from './talks.ts'

/** A server that is measured, and how clients talk to it. */
export interface Contender {
  readonly id: string
  readonly name: string
  /** The package whose version is told; none for what is written here. */
  readonly package?: string
  readonly wire: string
  /** Whether an answer is still there after `kill -9`, and where it is kept. */
  readonly kept: 'nothing' | 'in memory' | 'on disk'
  /** True for what needs the packages of `bench/peers`. */
  readonly installed?: boolean
  readonly start: (folder: string) => Promise<ServerProcess>
  readonly person: (url: string) => Promise<Person>
}

export const contenders: readonly Contender[] = [
  {
    id: 'http',
    name: 'bare `node:http`, no model',
    wire: 'server-sent events',
    kept: 'nothing',
    start: () => ServerProcess.of(new URL('../server/words-server.ts', import.meta.url)),
    person: async (url) => plainPerson(url),
  },
  {
    id: 'loop',
    name: 'provider loop',
    wire: 'server-sent events',
    kept: 'nothing',
    start: () => ServerProcess.of(new URL('../server/loop-server.ts', import.meta.url)),
    person: async (url) => plainPerson(url),
  },
  peer('genkit', 'Genkit', 'genkit', 'nothing'),
  ...(['sqlite', 'memory'] as const).flatMap((store) =>
    (['model', 'function'] as const).map((kind) => beach(store, kind, 'agui', 'AG-UI', aguiPerson)),
  ),
]

function peer(id: string, name: string, from: string, kept: Contender['kept']): Contender {
  return {
    id,
    name,
    package: from,
    wire: 'server-sent events',
    kept,
    installed: true,
    start: (folder) => ServerProcess.of(new URL(`servers/${id}.mjs`, import.meta.url), [folder]),
    person: async (url) => plainPerson(url),
  }
}

function beach(
  store: 'sqlite' | 'memory',
  kind: 'model' | 'function',
  channel: string,
  wire: string,
  person: Contender['person'],
): Contender {
  return {
    id: `beach-${store}-${kind}-${channel}`,
    name: `Beach, ${store === 'sqlite' ? 'SQLite' : 'memory'}${kind === 'function' ? ', a function' : ''}`,
    wire,
    kept: store === 'sqlite' ? 'on disk' : 'in memory',
    start: (folder) =>
      ServerProcess.of(new URL('../server/peers-beach-server.ts', import.meta.url), [folder, store, kind]),
    person,
  }
}
