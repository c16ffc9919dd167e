import { createBeach, openData, serve, type Beach, type BeachOptions, type Serving } from '@cool-ai/beach'
import {
  BeachError,
  simulatedRuntime,
  type Actor,
  type Logger,
  type Part,
  type Principal,
  type Runtime,
} from '@cool-ai/beach-core'
import type { LlmActor, Model } from '@cool-ai/beach-llm'
import type { ApprovalRequest } from '@cool-ai/beach-protocol'
import { script, type ScriptStep } from '../model/script.ts'
import { milliseconds, type Duration } from './duration.ts'
import { Pace } from './pace.ts'
import { TestConversation, type DecideOptions } from './test-conversation.ts'
import type { TestTurn } from './test-turn.ts'

/** The options of `createBeach`, of which only the actors are needed, and what a test says besides. */
export interface TestAgentOptions extends Pick<BeachOptions, 'actors'>, Partial<Omit<BeachOptions, 'actors'>> {
  /** Plays every `llmActor` in place of its own model: a model, or what it says, message by message. */
  readonly model?: Model | readonly ScriptStep[]
  /** Who talks to the agent; a user when left out. */
  readonly principal?: Principal
  /** How long to wait for a turn that does not come to rest; 4 s when left out. */
  readonly maxWaitMs?: number
}

/**
 * Starts an agent in memory, on a clock that stands still until the test advances it. The agent needs no test framework:
 * stop it in the framework's own way, or declare it with `await using`.
 */
export async function testAgent(options: TestAgentOptions): Promise<TestAgent> {
  const { actors, model, principal: _, maxWaitMs = 4_000, ...beachOptions } = options
  const problems: string[] = []
  const runtime = options.runtime ?? simulatedRuntime({ logger: problemLogger(problems) })
  const beach = await createBeach({
    agent: { id: 'test-agent', name: 'Test agent' },
    ...(await openData({ folder: '', store: 'memory', runtime })),
    ...beachOptions,
    actors: playedBy(actors, runtime, model),
    runtime,
  })
  const pace = new Pace(runtime.clock, maxWaitMs)
  const { tenant = 'default', principal = { kind: 'user', id: 'tester', tenant } } = options
  const conversation = await TestConversation.open({ sessions: beach.sessions, principal, pace, problems })
  return new TestAgent({ beach, runtime, pace, problems, conversation })
}

interface TestAgentParts {
  readonly beach: Beach
  readonly runtime: Runtime
  readonly pace: Pace
  readonly problems: readonly string[]
  readonly conversation: TestConversation
}

/** A running agent, and a conversation with it. */
export class TestAgent implements AsyncDisposable {
  readonly beach: Beach
  readonly runtime: Runtime
  /** What the agent has logged as a warning or an error, such as why an actor failed. */
  readonly problems: readonly string[]
  /** The conversation that `say`, `approve` and `deny` are about. */
  readonly conversation: TestConversation
  readonly #pace: Pace
  readonly #opened: TestConversation[] = []
  #serving: Serving | undefined

  constructor({ beach, runtime, pace, problems, conversation }: TestAgentParts) {
    this.beach = beach
    this.runtime = runtime
    this.problems = problems
    this.conversation = conversation
    this.#pace = pace
  }

  /** All turns of the conversation so far, oldest first. */
  get turns(): readonly TestTurn[] {
    return this.conversation.turns
  }

  /** Says something, and waits until its turn has settled or waits for an approval. */
  say(what: string | readonly Part[]): Promise<TestTurn> {
    return this.conversation.say(what)
  }

  /** Grants an approval, by default the only one that is open, and waits until its turn rests again. */
  approve(approval?: ApprovalRequest, options?: DecideOptions): Promise<TestTurn> {
    return this.conversation.approve(approval, options)
  }

  /** Denies an approval, by default the only one that is open, and waits until its turn rests again. */
  deny(approval?: ApprovalRequest, options?: DecideOptions): Promise<TestTurn> {
    return this.conversation.deny(approval, options)
  }

  /** Lets time pass on the agent's clock: timers fire, approvals expire, jobs run. */
  async advance(duration: Duration): Promise<void> {
    await this.#pace.advance(milliseconds(duration))
  }

  /** Begins another conversation, with the same user or somebody else. */
  async open(principal: Principal = this.conversation.principal): Promise<TestConversation> {
    const { sessions } = this.beach
    const opened = await TestConversation.open({ sessions, principal, pace: this.#pace, problems: this.problems })
    this.#opened.push(opened)
    return opened
  }

  /** Serves the agent on a free port of this machine until it is stopped; gives its URL. */
  async serve(): Promise<string> {
    this.#serving ??= await serve(this.beach, { port: 0, signals: false })
    return this.#serving.url
  }

  async stop(): Promise<void> {
    for (const conversation of [this.conversation, ...this.#opened]) conversation.close()
    await (this.#serving ?? this.beach).close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}

/** The actors with what a test gives them: the agent's own runtime and, to those that a model plays, the model. */
function playedBy(
  actors: BeachOptions['actors'],
  runtime: Runtime,
  model: TestAgentOptions['model'],
): Record<string, Actor> {
  const given = model === undefined ? {} : { model: 'modelId' in model ? model : script(...model) }
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

/** Remembers what an operator would have to look into. */
function problemLogger(problems: string[]): Logger {
  return {
    log(level, message, { error, ...fields } = {}) {
      if (level !== 'warn' && level !== 'error') return
      const reason = error instanceof Error ? `: ${error.message}` : ''
      problems.push(`${message}${reason} ${JSON.stringify(fields)}`)
    },
  }
}
