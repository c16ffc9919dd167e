import { BeachError, type Actor, type Part, type SaidPart, type TurnContext, type Work } from '@cool-ai/beach-core'
import type { PlannedTool, ToolRun } from '@cool-ai/beach-core/ports'
import {
  missingFrom,
  type Evaluation,
  type EvaluationPart,
  type RecordedResult,
} from '@cool-ai/beach-inspect/evaluations'

/** The results that an evaluation gives in place of tools, for one run. */
export class RecordedResults {
  readonly #byName: ReadonlyMap<string, readonly RecordedResult[]>
  readonly #used = new Set<RecordedResult>()

  constructor(tools: Evaluation['tools'] = {}) {
    const entries = Object.entries(tools)
    this.#byName = new Map(entries.map(([name, given]) => [name, Array.isArray(given) ? given : [given]]))
  }

  get isEmpty(): boolean {
    return this.#byName.size === 0
  }

  has(name: string): boolean {
    return this.#byName.has(name)
  }

  /**
   * The result of a call: of those that fit its arguments the first that was not used yet, else the last one. What the tool
   * said meanwhile is said again.
   */
  async of(name: string, args: unknown, emit: (parts: readonly SaidPart[]) => Promise<void>): Promise<unknown> {
    const fitting = (this.#byName.get(name) ?? []).filter((one) => missingFrom(args, one.args ?? {}) === undefined)
    const found = fitting.find((one) => !this.#used.has(one)) ?? fitting.at(-1)
    if (found === undefined) {
      const message = `The evaluation has no result for a call of ${name} with these arguments: ${JSON.stringify(args)}.`
      throw new BeachError('NOT_FOUND', message)
    }
    this.#used.add(found)
    if (found.parts !== undefined) await emit(toParts(found.parts))
    if (found.error !== undefined) throw new BeachError('INTERNAL', found.error)
    return found.result
  }
}

/** An actor whose tools of these names do not run: their calls are answered with what was recorded. */
export function withRecordedResults(actor: Actor, results: RecordedResults): Actor {
  if (results.isEmpty) return actor
  const { works } = actor
  return {
    run: (turn) => actor.run(recordedTurn(turn, results, works)),
    toolNames: actor.toolNames,
    works:
      works &&
      Object.fromEntries(Object.entries(works).map(([name, work]) => [name, recordedWork(name, work, results)])),
    within: async (place) => withRecordedResults((await actor.within?.(place)) ?? actor, results),
  }
}

function recordedTurn(turn: TurnContext, results: RecordedResults, works: Actor['works'] = {}): TurnContext {
  // A tool that runs in parallel to the turn only begins there: its work has the result.
  const recorded = <Value>(tool: PlannedTool<Value>) =>
    Object.hasOwn(works, tool.call.name) ? tool : recordedTool(tool, results)
  const tools: TurnContext['tools'] = (planned) => turn.tools(planned.map(recorded))
  return new Proxy(turn, {
    get(target, name) {
      if (name === 'tools') return tools
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

function recordedTool<Value>(planned: PlannedTool<Value>, results: RecordedResults): PlannedTool<Value> {
  const { call, revise } = planned
  // What a client runs is not ours to answer.
  if (!results.has(call.name) || call.client !== undefined) return planned
  const runWith = (args: unknown) => async (run: ToolRun) => (await results.of(call.name, args, run.emit)) as Value
  return {
    ...planned,
    run: runWith(call.args),
    revise:
      revise &&
      ((changed) => {
        const revised = revise(changed)
        return 'problems' in revised ? revised : { run: runWith({ ...Object(call.args), ...changed }) }
      }),
  }
}

function recordedWork(name: string, work: Work, results: RecordedResults): Work {
  return results.has(name) ? { ...work, run: (args, { emit }) => results.of(name, args, emit) } : work
}

/** Parts as an evaluation writes them, as those of the conversation. */
export function toParts(parts: readonly EvaluationPart[]): Part[] {
  return parts.map(({ partType, metadata, ...part }) => ({ ...part, metadata: { ...metadata, partType } }) as Part)
}
