import type { TurnState } from '@cool-ai/beach-core'
import type { RespondCall } from '../respond/respond-call.ts'
import type { ModelToolCall } from '../tools/plan-tool.ts'
import type { Usage } from './budget.ts'
import type { ModelStep } from './model-step.ts'
import type { Answered } from './tool-calls.ts'

/** What a step leaves in the log for a turn that goes on after a restart: a model's message, or a piece of one. */
export interface Answer {
  readonly content: ModelStep['content']
  readonly respondIds: readonly string[]
  readonly tools: readonly ModelToolCall[]
  /** The usage of the message. Absent while the message still arrives: the next step goes on with it. */
  readonly usage?: Usage
  /** How many of the manifests' results the model had seen. */
  readonly seen?: number
  /** True when the turn's result was among the parts. */
  readonly hasResult?: true
  /** Those of `respondIds` that were delivered without some of their parts. */
  readonly cutIds?: readonly string[]
}

/** The steps of one message that are in the log, as one. */
export interface Delivered extends Answer {
  readonly turnState: TurnState
}

const cutShort = 'Delivered, but without the parts that were still not valid: no listener has seen those.'

/** A message with one step more. */
export function joined(before: Delivered | undefined, answer: Answer, turnState: TurnState): Delivered {
  return {
    ...answer,
    turnState,
    content: [...(before?.content ?? []), ...answer.content],
    respondIds: [...(before?.respondIds ?? []), ...answer.respondIds],
    cutIds: [...(before?.cutIds ?? []), ...(answer.cutIds ?? [])],
  }
}

/** What the model is told about delivered calls of `respond()`. */
export function respondResults({ respondIds = [], cutIds = [] }: Partial<Delivered> = {}): Answered[] {
  return respondIds.map((toolCallId) => ({
    toolCallId,
    toolName: 'respond',
    output: { type: 'text', value: cutIds.includes(toolCallId) ? cutShort : 'Delivered.' },
  }))
}

/**
 * What the model is told about a whole message; for a `respond()` that asked for an approval, the result of the tool.
 */
export function resultsOf(delivered: Delivered, outcomes: readonly Answered[]): Answered[] {
  const asked = new Map(delivered.tools.map(({ toolCallId, askedBy }) => [toolCallId, askedBy]))
  const results = outcomes.map((outcome) => {
    const toolCallId = asked.get(outcome.toolCallId)
    return toolCallId === undefined ? outcome : { ...outcome, toolCallId, toolName: 'respond' }
  })
  const answers = respondResults(delivered).filter(
    ({ toolCallId }) => !results.some((result) => result.toolCallId === toolCallId),
  )
  return [...answers, ...results]
}

/** The tool call whose approval a `respond()` asks for, if it does. */
export function askedCall(said: ModelStep['responds'][number] | undefined): ModelToolCall[] {
  const approval = said?.call.approval
  if (said === undefined || approval === undefined) return []
  const { toolCallId: askedBy } = said
  return [{ toolCallId: `${askedBy}.approval`, toolName: approval.toolName, input: approval.args, askedBy }]
}

/** The mark of a call that is delivered without some of its parts. */
export function cutOf(toolCallId: string, { dropped = [] }: RespondCall): Pick<Answer, 'cutIds'> {
  return dropped.length > 0 ? { cutIds: [toolCallId] } : {}
}
