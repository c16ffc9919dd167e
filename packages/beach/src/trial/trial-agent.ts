import {
  BeachError,
  SimulatedClock,
  simulatedRuntime,
  type Actor,
  type Logger,
  type Part,
  type Principal,
  type Runtime,
} from '@cool-ai/beach-core'
import { toLogged } from '@cool-ai/beach-core/log'
import { defined, milliseconds, type Duration } from '@cool-ai/beach-core/runtime'
import type { LlmActor, Model } from '@cool-ai/beach-llm'
import type { ReplayReport } from '@cool-ai/beach-core/ports'
import type { ApprovalRequest } from '@cool-ai/beach-protocol'
import type { Beach, BeachOptions } from '../beach-options.ts'
import { openNamed } from '../agent-settings.ts'
import { createBeach } from '../create-beach.ts'
import { openData } from '../open-data.ts'
import { replay, type ReplayOptions } from '../replay/replay.ts'
import type { Serving } from '../serve.ts'
import { BackgroundThrottle } from './background-throttle.ts'
import { MortalStore } from './mortal-store.ts'
import { TrialConversation, type DecideOptions, type TrialTurn } from './trial-conversation.ts'

/** The options of `createBeach`, of which only the actors are needed, and further ones for trials. */
export interface TrialAgentOptions extends Pick<BeachOptions, 'actors'>, Partial<Omit<BeachOptions, 'actors'>> {
  /** Plays every `llmActor` in place of its own model. */
  readonly model?: Model | undefined
  /** Who talks to the agent; a user when left out. */
  readonly principal?: Principal | undefined
  /** How long to wait for a turn that does not come to rest; 4 s when left out. */
  readonly maxWaitMs?: number | undefined
}

/** The same in each run, so that tokens outlive an agent that is started again on the same store. */
const secret = new Uint8Array(32).fill(7)

/** How long a host may be silent, as sessions have it. */
const defaultLeaseMs = 10_000

/** A running agent, and a conversation with it. Its functions may be taken out of it. */
export interface TrialAgent extends AsyncDisposable {
  /** After a crash, that of the process which took over. */
  readonly beach: Beach
  readonly runtime: Runtime
  /** What the agent has logged as a warning or an error, such as why an actor failed. */
  readonly problems: readonly string[]
  /** The conversation that `say`, `approve`, `deny` and `turns` are about. */
  readonly conversation: TrialConversation
  /** All turns of the conversation so far, oldest first. */
  readonly turns: readonly TrialTurn[]
  /** Sends a message, and waits until its turn has settled or waits for an approval. */
  readonly say: (what: string | readonly Part[]) => Promise<TrialTurn>
  /** Grants an approval, by default the only one that is open, and waits until its turn rests again. */
  readonly approve: (approval?: ApprovalRequest, options?: DecideOptions) => Promise<TrialTurn>
  /** Denies an approval, by default the only one that is open, and waits until its turn rests again. */
  readonly deny: (approval?: ApprovalRequest, options?: DecideOptions) => Promise<TrialTurn>
  /** Lets time pass on the agent's clock: timers fire, approvals expire, jobs run. */
  readonly advance: (duration: Duration) => Promise<void>
  /**
   * The process dies as by `kill -9`, and another one takes over on the same data: what was running goes on there once the
   * lease of the dead one has run out, for which the clock is advanced. Not for an agent with `channels` or one that is served.
   */
  readonly crash: () => Promise<void>
  /** The conversation as text, the same for the same conversation: for comparing it with a file. */
  readonly transcript: () => Promise<string>
  /** Begins another conversation, with the same user or another one. */
  readonly open: (principal?: Principal) => TrialConversation
  /**
   * Runs the conversation, or another session, again against its record: the report says whether the log is the same, and
   * what is different where a model or instructions are given.
   */
  readonly replay: (request?: Partial<ReplayOptions>) => Promise<ReplayReport>
  /** Serves the agent on a free port of this machine until it is stopped; returns its URL. */
  readonly serve: () => Promise<string>
  readonly stop: () => Promise<void>
}

/**
 * Starts an agent in memory, on a clock that stands still until it is advanced. The agent needs no test framework:
 * stop it in the framework's own way, or declare it with `await using`.
 */
export async function trialAgent(options: TrialAgentOptions): Promise<TrialAgent> {
  const { actors, model, principal: _, maxWaitMs = 4_000, data, ...beachOptions } = options
  const problems: string[] = []
  const runtime = withProblems(options.runtime ?? simulatedRuntime(), problems)
  const agent = options.agent ?? { id: 'test-agent', name: 'Test agent' }
  const opened = await openedData(data, { agent, runtime })
  const given: BeachOptions = {
    ...beachOptions,
    agent,
    data: opened,
    actors: playedBy(actors, runtime, model),
    runtime,
  }
  // A store of the caller's own is used as it is: the process that uses it does not die.
  const isOwn = typeof data === 'object' && data.store !== undefined
  let store = isOwn ? undefined : new MortalStore(opened.store)
  let beach = await createBeach({ ...given, data: { ...opened, ...defined({ store }) } })
  const tenant = options.access?.tenant ?? options.tenant ?? 'default'
  const { principal: user = { kind: 'user', id: 'tester', tenant } } = options
  const pace = new BackgroundThrottle(runtime.clock, maxWaitMs)
  const conversations: TrialConversation[] = []
  const log = async (session: string) => (await opened.store.read(session, 0)).map(toLogged).map(({ event }) => event)
  const open = (principal: Principal = user) => {
    const place = { sessions: () => beach.sessions, log, principal, pace, problems }
    const conversation = new TrialConversation(runtime.id('sess'), place)
    conversations.push(conversation)
    return conversation
  }
  let serving: Promise<Serving> | undefined
  let stopped: Promise<void> | undefined
  const end = async () => {
    for (const each of conversations) await each.close()
    await ((await serving) ?? beach).close()
  }
  const stop = () => (stopped ??= end())
  const crash = async () => {
    const reason = whyNoCrash(given, serving)
    if (reason !== undefined) throw new BeachError('INVALID_CONFIGURATION', reason)
    if (store === undefined) {
      throw new BeachError(
        'INVALID_CONFIGURATION',
        'The agent cannot crash on a store of your own. Leave out `data.store`.',
      )
    }
    store.die()
    store = new MortalStore(opened.store)
    beach = await createBeach({ ...given, data: { ...opened, store } })
    for (const each of conversations) await each.reconnect()
    await pace.advance(options.turns?.leaseMs ?? options.leaseMs ?? defaultLeaseMs)
  }
  const own = open()
  return {
    get beach() {
      return beach
    },
    runtime,
    problems,
    conversation: own,
    get turns() {
      return own.turns
    },
    say: (what) => own.say(what),
    approve: (approval, how) => own.approve(approval, how),
    deny: (approval, how) => own.deny(approval, how),
    advance: async (duration) => pace.advance(milliseconds(duration)),
    crash,
    transcript: () => own.transcript(),
    open,
    replay: (request = {}) => replay(given, { session: own.sessionId, ...request }),
    serve: async () => (await (serving ??= beach.listen({ port: 0, signals: false }))).url,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** The agent's data, opened here, so that the process that uses it can die and another one go on with it. */
async function openedData(data: BeachOptions['data'], place: { agent: BeachOptions['agent']; runtime: Runtime }) {
  const { folder, encryption, ...given } = typeof data === 'string' ? { folder: data } : { folder: 'memory', ...data }
  const { secret: own = secret } = given
  const inMemory = folder === undefined || folder === 'memory'
  const opened = inMemory
    ? await openData({ store: 'memory', encryption, runtime: place.runtime })
    : await openNamed(folder, { ...place, secret: given.secret, encryption })
  return { ...opened, ...(inMemory && { secret: own }), ...defined(given) }
}

function whyNoCrash({ channels = [], runtime }: BeachOptions, serving: unknown): string | undefined {
  if (!(runtime?.clock instanceof SimulatedClock))
    return 'Only with a simulated clock can a test crash the agent. Leave out `runtime`.'
  if (channels.length > 0)
    return 'A channel belongs to one process: an agent with `channels` of its own cannot crash in a test.'
  return serving === undefined ? undefined : 'An agent that is served cannot crash in a test.'
}

/** The actors with what a test gives them: the agent's own runtime and, for LLM actors, the model. */
function playedBy(
  actors: BeachOptions['actors'],
  runtime: Runtime,
  model: TrialAgentOptions['model'],
): Record<string, Actor> {
  const given = model === undefined ? {} : { model }
  const played = Object.entries(actors).map(([name, actor]): [string, Actor] => {
    return [name, isLlmActor(actor) ? actor.with({ runtime, ...given }) : actor]
  })
  if (model !== undefined && !Object.values(actors).some(isLlmActor)) {
    throw new BeachError(
      'INVALID_CONFIGURATION',
      'No actor is played by a model. Leave out `model`, or use llmActor().',
    )
  }
  return Object.fromEntries(played)
}

function isLlmActor(actor: Actor): actor is LlmActor {
  return 'with' in actor
}

/** A runtime that also remembers warnings and errors. */
function withProblems(runtime: Runtime, problems: string[]): Runtime {
  const log: Logger['log'] = (level, message, fields = {}) => {
    runtime.logger.log(level, message, fields)
    if (level !== 'warn' && level !== 'error') return
    const { error, ...rest } = fields
    const reason = error instanceof Error ? `: ${error.message}` : ''
    problems.push(`${message}${reason} ${JSON.stringify(rest)}`)
  }
  return { clock: runtime.clock, id: (prefix) => runtime.id(prefix), random: () => runtime.random(), logger: { log } }
}
