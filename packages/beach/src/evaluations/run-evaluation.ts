import {
  BeachError,
  isBeachError,
  systemRuntime,
  type Channel,
  type Principal,
  type SimulatedClock,
  type Store,
} from '@cool-ai/beach-core'
import { toLogged, type SessionEvent } from '@cool-ai/beach-core/log'
import { defined } from '@cool-ai/beach-core/runtime'
import {
  checkTurn,
  recordOf,
  type EvaluationStep,
  type Failure,
  type Judge,
  type NamedEvaluation,
  type RunResult,
  type StepResult,
  type TurnRecord,
} from '@cool-ai/beach-inspect/evaluations'
import { trialAgent, type TrialAgent } from '../trial/trial-agent.ts'
import type { ApprovalRequest } from '@cool-ai/beach-protocol'
import { evaluationPlace, type AgentSource } from './evaluation-place.ts'
import { RecordedResults, toParts, withRecordedResults } from './recorded-results.ts'
import { variedActors, type EvaluatedAgent, type Variant } from './variant.ts'

const maxProblems = 5

interface RunContext {
  readonly agent: AgentSource
  readonly variant: Variant
  readonly judge: Judge
  readonly maxWaitMs: number
  /** Tells the runs apart: ids and chance follow from it. */
  readonly seed: number
}

/** Runs an evaluation once, with an agent of its own. */
export async function runEvaluation(evaluation: NamedEvaluation, context: RunContext): Promise<RunResult> {
  const conversation = await Conversation.open(evaluation, context)
  try {
    return await conversation.run()
  } finally {
    await conversation.close()
  }
}

class Conversation {
  readonly #evaluation: NamedEvaluation
  readonly #agent: TrialAgent
  readonly #store: Store
  readonly #clock: SimulatedClock
  readonly #judge: Judge
  readonly #events: SessionEvent[] = []
  readonly #principal: Principal
  #seq = 0
  /** Without the time that was only let pass. */
  #latencyMs = 0

  private constructor(
    evaluation: NamedEvaluation,
    parts: { agent: TrialAgent; store: Store; clock: SimulatedClock; judge: Judge; principal: Principal },
  ) {
    this.#evaluation = evaluation
    this.#agent = parts.agent
    this.#store = parts.store
    this.#clock = parts.clock
    this.#judge = parts.judge
    this.#principal = parts.principal
  }

  static async open(evaluation: NamedEvaluation, context: RunContext): Promise<Conversation> {
    const { agent: source, variant, judge, maxWaitMs, seed } = context
    const { at, user, tools } = evaluation
    const place = await evaluationPlace(at === undefined ? systemRuntime().clock.now() : Date.parse(at), seed)
    const { data, runtime, clock } = place
    const given = typeof source === 'function' ? await source({ command: 'eval', evaluation: place }) : source
    const tenant = given.access?.tenant ?? given.tenant ?? 'default'
    const principal = principalOf(user, tenant)
    const results = new RecordedResults(tools)
    const actors = Object.entries(variedActors(given, variant)).map(([name, actor]) => {
      const timed = 'with' in actor ? (actor as { with(changes: object): typeof actor }).with({ runtime }) : actor
      return [name, withRecordedResults(timed, results)] as const
    })
    const agent = await trialAgent({
      ...withoutOutside(given),
      actors: Object.fromEntries(actors),
      data,
      runtime,
      principal,
      maxWaitMs,
    })
    return new Conversation(evaluation, { agent, store: data.store, clock, judge, principal })
  }

  async run(): Promise<RunResult> {
    const steps: StepResult[] = []
    let error: string | undefined
    for (const step of this.#evaluation.turns) {
      const result = await this.#step(step)
      if (typeof result === 'string') {
        error = `${didOf(step)} – ${result}`
        break
      }
      steps.push(result)
    }
    await this.#read()
    const all = await this.#record(this.#events, this.#latencyMs)
    const { budget, expect = {} } = this.#evaluation
    const expected = budget === undefined ? expect : { ...expect, budget: { ...budget, ...expect.budget } }
    const failures = error === undefined ? await this.#check(expected, all) : []
    const passed = error === undefined && failures.length === 0 && steps.every((step) => step.failures.length === 0)
    const { latencyMs, tokens, cost, steps: modelSteps } = all
    const problems = this.#agent.problems.slice(0, maxProblems)
    return { passed, steps, failures, error, problems, latencyMs, tokens, cost, modelSteps }
  }

  async close(): Promise<void> {
    await this.#agent.stop()
  }

  /** The result of a step, or why it could not be done. */
  async #step(step: EvaluationStep): Promise<StepResult | string> {
    const before = this.#clock.now()
    try {
      await this.#do(step)
    } catch (error) {
      if (!isBeachError(error)) throw error
      return error.message
    }
    const latencyMs = step.advance === undefined ? this.#clock.now() - before : 0
    this.#latencyMs += latencyMs
    const events = await this.#read()
    const now = await this.#record(events, latencyMs)
    const whole = recordOf(this.#events, now)
    const record = { ...now, state: whole.state, approvals: whole.approvals }
    const { state, text, parts, tools } = record
    return {
      did: didOf(step),
      state,
      text,
      parts: parts.map(({ partType }) => partType),
      tools: tools.map(({ name, args, outcome }) => ({ name, args, outcome })),
      latencyMs,
      failures: await this.#check(step.expect ?? {}, record),
    }
  }

  async #do({ say, send, approve, deny, advance }: EvaluationStep): Promise<unknown> {
    if (say !== undefined) return this.#agent.say(say)
    if (send !== undefined) return this.#agent.say(toParts(send))
    if (approve !== undefined) {
      const { tool, args, reason, by } = approve === true ? ({} as Decision) : approve
      return this.#agent.approve(this.#request(tool), { args, reason, by: this.#who(by) })
    }
    if (deny !== undefined) {
      const { tool, reason, by } = deny === true ? ({} as Decision) : deny
      return this.#agent.deny(this.#request(tool), { reason, by: this.#who(by) })
    }
    return this.#agent.advance(advance ?? 0)
  }

  /** The open request of a tool; of any when none is named. */
  #request(tool: string | undefined): ApprovalRequest | undefined {
    if (tool === undefined) return undefined
    const open = this.#agent.turns.flatMap(({ approvals }) => approvals)
    const found = open.find(({ toolName }) => toolName === tool)
    if (found !== undefined) return found
    const waiting = open.map(({ toolName }) => toolName).join(', ') || 'none'
    throw new BeachError('NOT_FOUND', `No approval of ${tool} waits. Those that wait: ${waiting}.`)
  }

  #who(by: Decision['by']): Principal {
    return by === undefined ? this.#principal : principalOf(by, this.#principal.tenant)
  }

  /** What has come to the log since the last time. */
  async #read(): Promise<SessionEvent[]> {
    const events = (await this.#store.read(this.#agent.conversation.sessionId, this.#seq)).map(toLogged)
    this.#seq = events.at(-1)?.seq ?? this.#seq
    this.#events.push(...events.map(({ event }) => event))
    return events.map(({ event }) => event)
  }

  async #record(events: readonly SessionEvent[], latencyMs: number): Promise<TurnRecord> {
    const view =
      this.#seq === 0
        ? undefined
        : await this.#agent.beach.sessions.view(this.#agent.conversation.sessionId, this.#principal)
    return recordOf(events, { coordinates: view?.coordinates ?? {}, latencyMs })
  }

  async #check(expected: NonNullable<EvaluationStep['expect']>, record: TurnRecord): Promise<Failure[]> {
    const said = this.#evaluation.turns.flatMap(({ say }) => say ?? []).join('\n')
    try {
      return await checkTurn(expected, record, { judge: this.#judge, said })
    } catch (error) {
      // What is wrong with the evaluation itself is no result of it; a judge that could not be asked is.
      if (isBeachError(error, 'INVALID_CONFIGURATION') || !(error instanceof Error)) throw error
      return [{ of: 'judge', message: error.message }]
    }
  }
}

type Named = NonNullable<NamedEvaluation['user']>

interface Decision {
  readonly tool?: string | undefined
  readonly reason?: string | undefined
  readonly args?: Readonly<Record<string, unknown>> | undefined
  readonly by?: Named | undefined
}

/** Who talks, or decides: the user of an evaluation that names none has the id `evaluation`. */
export function principalOf({ kind = 'user', id, scopes }: Named = { id: 'evaluation' }, tenant: string): Principal {
  return { kind, id, tenant, ...defined({ scopes }) }
}

/** Files, and what only a served agent has. */
const outside: ReadonlySet<string> = new Set(
  'data store secret artifacts missives retention inspect telemetry page publicUrl runtime port host serve'.split(' '),
)

function withoutOutside(options: EvaluatedAgent): Partial<EvaluatedAgent> {
  const kept = Object.fromEntries(Object.entries(options).filter(([name]) => !outside.has(name)))
  // A channel that sends, or that begins conversations by itself, stays off; one that only shows and takes may be needed.
  const isInside = (channel: Channel) => !('send' in channel) && channel.deliveryClass === 'streaming'
  return { ...kept, channels: options.channels?.filter(isInside) }
}

/** A step in a few words. */
function didOf(step: EvaluationStep | undefined): string {
  if (step === undefined) return 'the end'
  const { say, send, approve, deny, advance } = step
  if (say !== undefined) return `say: ${say.length > 80 ? `${say.slice(0, 79)}…` : say}`
  if (send !== undefined) return `send: ${send.map(({ partType }) => partType).join(', ')}`
  if (approve !== undefined)
    return approve === true || approve.tool === undefined ? 'approve' : `approve: ${approve.tool}`
  if (deny !== undefined) return deny === true || deny.tool === undefined ? 'deny' : `deny: ${deny.tool}`
  return `advance: ${advance}`
}
