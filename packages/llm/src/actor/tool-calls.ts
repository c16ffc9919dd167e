import type { LanguageModelV4ToolResultOutput } from '@ai-sdk/provider'
import type { ResultOrigin, ToolOutcome, TurnContext } from '@cool-ai/beach-core'
import { declaredOrigins, failureOrigins, type PlannedTool } from '@cool-ai/beach-core/ports'
import type { ModelMessage } from '../models/model.ts'
import type { CitedSources } from '../respond/cited-sources.ts'
import { planClientTool } from '../tools/client-tools.ts'
import { planTool, type ModelToolCall } from '../tools/plan-tool.ts'
import type { Budget } from './budget.ts'
import type { LlmActorContext } from './config.ts'
import { fenced } from './fence.ts'

/** A call and what the model is told of it. */
export interface Answered {
  readonly toolCallId: string
  readonly toolName: string
  readonly output: LanguageModelV4ToolResultOutput
}

interface Planned {
  readonly call: ModelToolCall
  readonly tool: PlannedTool<unknown>
  readonly sequential: boolean
}

/** Runs the calls of one message: in parallel where the tools allow it, in order where they do not. */
export async function runTools(
  calls: readonly ModelToolCall[],
  turn: TurnContext,
  context: LlmActorContext,
  budget: Budget,
  sources: CitedSources,
): Promise<Answered[]> {
  const answers = new Map<string, Answered>()
  const planned: Planned[] = []
  for (const call of calls) {
    const plan = planOf(call, turn, context)
    if ('problem' in plan) answers.set(call.toolCallId, failed(call, plan.problem))
    else planned.push(plan)
  }
  for (const group of groups(planned)) {
    const outcomes = await turn.tools(group.map(({ tool }) => ({ ...tool, run: (run) => budget.run(tool.run, run) })))
    group.forEach(({ call, tool }, index) => {
      const outcome = outcomes[index]
      if (outcome === undefined) return
      const definition = context.toolsByName.get(call.toolName)?.definition
      if (outcome.outcome === 'ok' && definition !== undefined) sources.found(definition, outcome.value)
      answers.set(call.toolCallId, answered(call, outcome, shownOrigin(tool.call.resultOrigin, outcome)))
    })
  }
  return calls.flatMap((call) => answers.get(call.toolCallId) ?? [])
}

/** Where a tool says that its result is from, as the fence shows it. */
function shownOrigin(declared: ResultOrigin | undefined, outcome: ToolOutcome<unknown>): string | undefined {
  const origins = outcome.outcome === 'ok' ? declaredOrigins(declared, outcome.value) : failureOrigins(declared)
  return origins.length === 0 ? undefined : origins.join('/')
}

/** The message that carries the results. */
export function toolResults(answers: readonly Answered[]): ModelMessage {
  return { role: 'tool', content: answers.map((answer) => ({ type: 'tool-result', ...answer })) }
}

function planOf(
  call: ModelToolCall,
  turn: TurnContext,
  { toolsByName, runtime }: LlmActorContext,
): Planned | { problem: string } {
  if (call.problem !== undefined) return { problem: call.problem }
  if (call.client !== undefined) return { call, tool: planClientTool(call), sequential: false }
  const tool = toolsByName.get(call.toolName)
  if (tool === undefined) {
    const known = [...toolsByName.keys(), ...turn.clientTools.map(({ name }) => name)].join(', ') || 'none'
    return { problem: `There is no tool '${call.toolName}'. There are: ${known}.` }
  }
  const held = heldScopes(turn)
  const missing = (tool.definition.requiredScopes ?? []).filter((scope) => !held.includes(scope))
  if (missing.length > 0) return { problem: `The user lacks the permission for this: ${missing.join(', ')}.` }
  const plan = planTool(tool, call, turn.view, runtime)
  if ('problems' in plan) return { problem: `The arguments are wrong. ${plan.problems.join('; ')}` }
  return { call, tool: plan, sequential: tool.definition.sequential === true }
}

/**
 * The scopes that all authors of this turn's messages share, as they were when they wrote. A turn without messages has
 * those of the owner.
 */
function heldScopes({ messages, view }: TurnContext): readonly string[] {
  const [first, ...others] = messages.map(({ from }) => from.principal.scopes ?? [])
  if (first === undefined) return view.owner?.scopes ?? []
  return first.filter((scope) => others.every((scopes) => scopes.includes(scope)))
}

/** Adjacent calls that may run together form a group; a call that may not is alone. */
function groups(planned: readonly Planned[]): Planned[][] {
  const result: Planned[][] = []
  for (const plan of planned) {
    const last = result.at(-1)
    if (last === undefined || plan.sequential || last.at(-1)?.sequential === true) result.push([plan])
    else last.push(plan)
  }
  return result
}

function answered(call: ModelToolCall, outcome: ToolOutcome<unknown>, resultOrigin: string | undefined): Answered {
  if (outcome.outcome === 'denied') return failed(call, `ToolDenied: ${outcome.reason}`)
  const tool = `${call.client === undefined ? 'tool' : 'client-tool'}:${call.toolName}`
  const origin = resultOrigin === undefined ? tool : `${tool}/${resultOrigin}`
  // Why a tool failed may be said in the words of another server.
  if (outcome.outcome !== 'ok') return failed(call, fenced(outcome.reason, origin))
  const text = typeof outcome.value === 'string' ? outcome.value : (JSON.stringify(outcome.value) ?? 'null')
  const value = changesText(outcome.changed) + fenced(text, origin)
  return { ...place(call), output: { type: 'text', value } }
}

/** What the approver has changed before the tool ran: the model must not go on with what it had asked for. */
function changesText(changed: Readonly<Record<string, unknown>> | undefined): string {
  if (changed === undefined) return ''
  return `The approver changed these arguments before approving; the tool ran with them: ${JSON.stringify(changed)}.\n`
}

function failed(call: ModelToolCall, value: string): Answered {
  return { ...place(call), output: { type: 'error-text', value } }
}

function place({ toolCallId, toolName }: ModelToolCall) {
  return { toolCallId, toolName }
}
