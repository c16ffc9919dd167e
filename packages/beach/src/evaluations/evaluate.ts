import { BeachError, systemRuntime, type Runtime } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { contentHash, elapsed } from '@cool-ai/beach-core/runtime'
import type { CaseResult, EvaluationReport, NamedEvaluation, RunResult } from '@cool-ai/beach-inspect/evaluations'
import type { Model } from '@cool-ai/beach-llm'
import { modelJudge } from './judge.ts'
import type { AgentSource } from './evaluation-place.ts'
import { principalOf, runEvaluation } from './run-evaluation.ts'
import type { EvaluatedAgent, Variant } from './variant.ts'

/** A variant with a name, and perhaps another agent. */
export interface NamedVariant extends Variant {
  readonly agent?: AgentSource | undefined
}

/** How cases are run: with which agent, how often, and where results go. */
export interface EvaluateOptions {
  /**
   * The options of `createBeach`, or a function that makes them for each run, such as the default export of `beach.config.ts`;
   * each run has an agent of its own.
   */
  readonly agent: AgentSource
  readonly evaluations: readonly NamedEvaluation[]
  /** The agent's id and name in the report; those of its options when left out. */
  readonly about?: { readonly id: string; readonly name: string } | undefined
  /** How often each evaluation is run, in place of its own number. */
  readonly runs?: number | undefined
  /** The agent in several forms, by name, to be compared side by side. */
  readonly variants?: Readonly<Record<string, NamedVariant>> | undefined
  /** The model that judges texts by rubrics, unless the evaluation names one: a model, or its id. */
  readonly judge?: Model | string | undefined
  /** How many runs go on at the same time; 4 when left out. */
  readonly parallel?: number | undefined
  /** How long to wait for a turn that does not come to rest; two minutes when left out. */
  readonly maxWaitMs?: number | undefined
  /** Told of each evaluation as soon as its last run is over. */
  readonly onCase?: ((result: CaseResult) => void) | undefined
  readonly runtime?: Runtime | undefined
}

/** Runs evaluations, each with an agent of its own in memory, whose channels are off. */
export async function evaluate(options: EvaluateOptions): Promise<EvaluationReport> {
  const { agent, evaluations, variants = { agent: {} }, parallel = 4, maxWaitMs = 120_000 } = options
  const { runtime = systemRuntime(), onCase } = options
  if (evaluations.length === 0) throw new BeachError('INVALID_CONFIGURATION', 'There is no evaluation to run.')
  let { about } = options
  const startedAt = runtime.clock.now()
  const began = elapsed(runtime.clock)
  const judge = modelJudge({ model: options.judge, runtime })
  const planned = Object.entries(variants).flatMap(([name, variant]) =>
    evaluations.map((evaluation) => new PlannedCase(evaluation, name, variant, options.runs)),
  )
  const runs = planned.flatMap((one) => Array.from({ length: one.runs }, (_, run) => ({ one, run })))
  await inParallel(parallel, runs, async ({ one, run }) => {
    const { evaluation, variant, name } = one
    // From its place only, so that a run comes out the same again as far as the agent allows.
    const seed = Number.parseInt(contentHash([evaluation.file, evaluation.name, name, run]).slice(-6), 36)
    const source = variant.agent ?? agent
    const noted: AgentSource = async (place) => {
      const given = typeof source === 'function' ? await source(place) : source
      about ??= aboutOf(given)
      return given
    }
    const result = await runEvaluation(evaluation, { agent: noted, variant, judge, maxWaitMs, seed })
    const done = one.add(run, result)
    if (done !== undefined) onCase?.(done)
  })
  const cases = planned.map((one) => one.result())
  return {
    id: runtime.id('evl'),
    agent: about ?? { id: 'agent', name: 'Agent' },
    startedAt,
    ms: Math.round(elapsed(runtime.clock) - began),
    variants: Object.keys(variants),
    passed: cases.every(({ passed }) => passed),
    cases,
  }
}

class PlannedCase {
  readonly evaluation: NamedEvaluation
  readonly name: string
  readonly variant: NamedVariant
  readonly runs: number
  readonly #results: RunResult[] = []
  #left: number

  constructor(evaluation: NamedEvaluation, name: string, variant: NamedVariant, runs = evaluation.runs ?? 1) {
    this.evaluation = evaluation
    this.name = name
    this.variant = variant
    this.runs = runs
    this.#left = runs
  }

  /** Takes the result of a run; gives that of the case when it was the last. */
  add(run: number, result: RunResult): CaseResult | undefined {
    this.#results[run] = result
    return --this.#left === 0 ? this.result() : undefined
  }

  result(): CaseResult {
    const { name, file, tags, from, user, passRate: required = 1 } = this.evaluation
    const passRate = this.#results.filter(({ passed }) => passed).length / this.#results.length
    return {
      name,
      file,
      tags,
      from: from && { ...from, principal: principalKey(principalOf(user, '')) },
      variant: this.name,
      passed: passRate >= required,
      passRate,
      required,
      runs: this.#results,
    }
  }
}

function aboutOf({ agent }: EvaluatedAgent): { id: string; name: string } {
  return { id: agent?.id ?? 'agent', name: agent?.name ?? 'Agent' }
}

async function inParallel<Item>(
  count: number,
  items: readonly Item[],
  run: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  const worker = async () => {
    for (const item of queue) await run(item)
  }
  await Promise.all(Array.from({ length: Math.min(Math.max(1, count), items.length) }, worker))
}
