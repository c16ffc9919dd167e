import { ServerProcess, type OwnPackages } from '../server-process.ts'
import { plainSocketPerson, ssePerson, webSocketPerson } from './stream-talks.ts'
import { a2aPerson, aguiPerson, copilotPerson, mcpPerson, plainPerson, type Person } from './talks.ts'

/** What a server still has of a conversation, and for how long. */
type Kept = 'nothing' | 'conversations, in memory' | 'finished answers, on disk' | 'every step, on disk'

/** What matters to our servers only. */
interface StartOptions {
  /** An agent that ends by force is taken over after this time. */
  readonly leaseMs?: number
  readonly packages?: OwnPackages | undefined
}

/** A server that is measured, and how clients talk to it. */
export interface Contender {
  readonly id: string
  readonly name: string
  /** The package whose version is told; none for what is written here. */
  readonly package?: string
  readonly wire: string
  /** Whether an answer is still there after `kill -9`, and where it is kept. */
  readonly kept: Kept
  /** True for what needs the packages of `bench/peers`. */
  readonly installed?: boolean
  /** True for agents that finish an answer in the next process. */
  readonly goesOn?: boolean
  readonly start: (folder: string, options?: StartOptions) => Promise<ServerProcess>
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
  peer({ id: 'genkit', name: 'Genkit', package: 'genkit', kept: 'nothing' }),
  peer({ id: 'adk', name: 'ADK', package: '@google/adk', kept: 'conversations, in memory' }),
  peer({ id: 'openai-agents', name: 'OpenAI Agents', package: '@openai/agents', kept: 'nothing' }),
  peer({ id: 'ai-sdk', name: 'AI SDK', package: 'ai', kept: 'nothing' }),
  peer({ id: 'langgraph', name: 'LangGraph', package: '@langchain/langgraph', kept: 'conversations, in memory' }),
  peer({ id: 'mastra', name: 'Mastra with memory', package: '@mastra/core', kept: 'finished answers, on disk' }),
  peer({
    id: 'copilotkit',
    name: 'CopilotKit',
    package: '@copilotkit/runtime',
    wire: 'AG-UI',
    kept: 'conversations, in memory',
    person: async (url) => copilotPerson(url),
  }),
  stock('loop-ws', 'WebSocket', new URL('../server/loop-socket-server.ts', import.meta.url), plainSocketPerson),
  stock('loop-a2a', 'A2A', new URL('../server/a2a-stock-server.ts', import.meta.url), a2aPerson),
  stock('loop-mcp', 'MCP', new URL('../server/loop-mcp-server.ts', import.meta.url), mcpPerson),
  ...(['sqlite', 'memory'] as const).flatMap((store) => [
    beach(store, 'agui', 'AG-UI', aguiPerson),
    beach(store, 'sse', 'server-sent events', (url) => ssePerson(url)),
    beach(store, 'ws', 'WebSocket', webSocketPerson),
    beach(store, 'a2a', 'A2A', a2aPerson),
    beach(store, 'mcp', 'MCP', mcpPerson),
  ]),
  {
    ...beach('sqlite', 'model', 'AG-UI', aguiPerson, 'model'),
    name: 'Beach on SQLite, a model with `respond()`',
  },
]

/** The provider loop behind a protocol's own SDK. */
function stock(id: string, wire: string, script: URL, person: (url: string) => Person): Contender {
  const name = `provider loop by ${wire}`
  const start = () => ServerProcess.of(script, ['loop'])
  return { id, name, wire, kept: 'nothing', start, person: async (url) => person(url) }
}

function peer(given: Pick<Contender, 'id' | 'name' | 'package' | 'kept'> & Partial<Contender>): Contender {
  return {
    wire: 'server-sent events',
    installed: true,
    start: (folder) => ServerProcess.of(new URL(`servers/${given.id}.mjs`, import.meta.url), [folder]),
    person: async (url) => plainPerson(url),
    ...given,
  }
}

function beach(
  store: 'sqlite' | 'memory',
  id: string,
  wire: string,
  person: (url: string) => Person | Promise<Person>,
  actor: 'function' | 'model' = 'function',
): Contender {
  return {
    id: `beach-${store}-${id}`,
    name: `Beach ${store === 'sqlite' ? 'on SQLite' : 'in memory'} by ${wire}`,
    wire,
    kept: store === 'sqlite' ? 'every step, on disk' : 'conversations, in memory',
    goesOn: store === 'sqlite',
    start: (folder, { leaseMs = 10_000, packages } = {}) => {
      const server = new URL('../server/peers-beach-server.ts', import.meta.url)
      return ServerProcess.of(server, [folder, store, actor, String(leaseMs)], packages)
    },
    person: async (url) => person(url),
  }
}
