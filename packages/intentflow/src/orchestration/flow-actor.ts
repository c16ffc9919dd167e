import type { Actor, AuthoredPart, Part, Principal, TurnContext, TurnState } from '@cool-ai/beach-core'
import { othersContentOf, type ToolRun } from '@cool-ai/beach-core/ports'
import { contentHash, defined } from '@cool-ai/beach-core/runtime'
import * as z from 'zod'
import type { PropsChange } from '../definition/event-handlers.ts'
import { flowToolName } from '../definition/intent.ts'
import { offeredEvents } from '../definition/offered-events.ts'
import { FlowError, isFlowError } from '../schemas/flow-error.ts'
import type { FlowRegistry } from '../registry/flow-registry.ts'
import type { FlowInstance } from '../state/flow-instance.ts'
import type { Flows } from '../server/create-flows.ts'
import { clarified, clarifyFlow, clarifySchema, type Clarify, type FlowOpener } from './clarify.ts'
import type { Matcher } from './matcher.ts'
import { understand, type Understood } from './understand.ts'

// What a question in words may offer.
const maxOptions = 10
const maxOptionLength = 80

const failureSchema = z.looseObject({ status: z.literal('failed'), error: z.looseObject({ message: z.string() }) })
const invocationSchema = z.looseObject({
  intentId: z.string(),
  entities: z.record(z.string(), z.unknown()).optional(),
})

/** What the actor uses of the engine; `createFlows` gives it. */
export interface FlowEngine extends FlowOpener, Pick<Flows, 'tools' | 'active' | 'who' | 'dispatch' | 'update'> {}

/** What was done, for the code that puts it into words. */
export interface FlowOutcome {
  /** What the user has said. */
  readonly text: string
  readonly understood: Understood
  /** The flow afterwards, when it is still open; when nothing was understood, the flow that the user is in. */
  readonly instance?: FlowInstance
  /** Why it was not done. */
  readonly failed?: string
}

/** What an actor of flows is made of. */
export interface FlowActorOptions {
  readonly flows: FlowEngine
  readonly registry: FlowRegistry
  readonly matcher: Matcher
  /** The actor that gets what has to do with no flow; without one, the user is told what there is. */
  readonly next?: string | undefined
  /** Puts into words what was done; plain ones when it is left out, or gives none. */
  readonly say?: (deed: FlowOutcome) => string | undefined
}

/** An actor that understands what has to do with flows, without a model, and passes everything else on. */
export function flowActor(options: FlowActorOptions): Actor {
  return {
    async run(turn) {
      const text = turn.messages.map(({ parts }) => textOf(parts)).join('\n')
      const by = turn.messages.at(-1)?.from.principal ?? turn.view.owner
      if (by === undefined) return respond(turn, 'complete', [response('This session has no owner to answer to.')])
      const invoked = turn.messages.flatMap(({ parts }) => parts.flatMap(invocationIn)).at(-1)
      const said = text.trim()
      const understood = await decided(turn, options, invoked, said, by)
      if (understood.kind === 'none' && options.next !== undefined) return pass(turn, options.next)
      const done = await act(turn, options, understood, by)
      const deed = { text: said, understood, ...done }
      const isShown = turn.messages.at(-1)?.from.deliveryClass === 'streaming'
      await respond(turn, ...answerTo(options, deed, isShown ? undefined : standingText(options, deed)))
    },
  }
}

/** What was understood is in the log before anything is done: a run that begins anew does the same. */
async function decided(
  turn: TurnContext,
  { flows, registry, matcher }: FlowActorOptions,
  invoked: Understood | undefined,
  text: string,
  by: Principal,
): Promise<Understood> {
  const [outcome] = await turn.tools([
    {
      call: { name: 'flow_understand', args: { text }, idempotent: true },
      run: async (): Promise<Understood> => {
        if (invoked !== undefined) return invoked
        const asked = await openQuestion(turn)
        const answer = asked && clarified(registry, asked, text)
        const active = await flows.active(turn.view.sessionId, by)
        const understood = understand(text, { registry, matcher, flows: active, ...flows.who(by) })
        if (answer === undefined || understood.kind === 'open') return understood
        return answer.kind === 'open' ? answer : understood.kind === 'none' ? answer : understood
      },
    },
  ])
  return outcome?.outcome === 'ok' ? outcome.value : { kind: 'none' }
}

/** The question that the last turn has asked in words, where there is no flow for that. */
async function openQuestion(turn: TurnContext): Promise<Clarify | undefined> {
  const [last] = await turn.history(1)
  const asked = last?.parts.findLast(({ metadata }) => metadata.partType === 'clarify')
  const parsed = clarifySchema.safeParse(asked?.metadata['intentflow'])
  return parsed.success ? parsed.data : undefined
}

/** What came of it; kept in the log, and so the same when the turn is run again. */
type Done = Omit<FlowOutcome, 'text' | 'understood'>

async function act(turn: TurnContext, options: FlowActorOptions, understood: Understood, by: Principal): Promise<Done> {
  const { flows, registry } = options
  const session = turn.view.sessionId
  switch (understood.kind) {
    case 'open': {
      const { replaces, intentId, entities } = understood
      if (replaces !== undefined) await dismissed(turn, flows, replaces, by)
      return shown(turn, flows, intentId, entities)
    }
    case 'ask':
      return registry.hasFlow(clarifyFlow.intentId) ? shown(turn, flows, clarifyFlow.intentId, understood.clarify) : {}
    case 'event': {
      const { instanceId, event, payload } = understood
      const sent = defined({ event, payload })
      return recorded(turn, 'flow_event', { instanceId, ...sent }, true, async ({ key }) => {
        const { code, message } = checked(await flows.dispatch(session, instanceId, { ...sent, eventId: key }, by))
        const stands = await instanceResult(flows, session, instanceId, by)
        return code === undefined || message === undefined ? stands : { ...stands, failed: message }
      })
    }
    case 'modify': {
      const { instanceId, change } = understood
      return recorded(turn, 'flow_update', { instanceId, ...change }, isRepeatable(change), async () => {
        await flows.update(session, instanceId, change, by)
        return instanceResult(flows, session, instanceId, by)
      })
    }
    case 'dismiss':
      return dismissed(turn, flows, understood.instanceId, by)
    case 'none':
      return recorded(turn, 'flow_look', {}, true, async () => {
        const open = Object.values(await flows.active(session, by))
        const instance = open.toSorted((one, other) => other.createdAt - one.createdAt)[0]
        return defined({ instance })
      })
  }
}

/** Does something once, with a record; what goes wrong is said to the user. */
async function recorded(
  turn: TurnContext,
  name: string,
  args: unknown,
  idempotent: boolean,
  run: (run: ToolRun) => Promise<Done>,
): Promise<Done> {
  const [outcome] = await turn.tools([{ call: { name, args, idempotent }, run: (call) => failureAsValue(run(call)) }])
  if (outcome === undefined) return { failed: 'It was not run.' }
  return outcome.outcome === 'ok' ? outcome.value : { failed: outcome.reason }
}

/** What flows refuse is no tool that failed, but something to tell. */
async function failureAsValue(done: Promise<Done>): Promise<Done> {
  try {
    return await done
  } catch (error) {
    if (isFlowError(error)) return { failed: error.message }
    throw error
  }
}

/** Shows a flow in this turn, by its tool. */
async function shown(turn: TurnContext, flows: FlowEngine, intentId: string, args: unknown): Promise<Done> {
  const tool = flows.tools().find(({ name }) => name === flowToolName(intentId))
  if (tool === undefined) return { failed: `There is no flow ${intentId}.` }
  return recorded(turn, tool.name, args, tool.idempotent === true, async (run) => {
    const value = await tool.handler(args, { ...run, session: turn.view })
    const parsed = failureSchema.safeParse(value)
    return parsed.success ? { failed: parsed.data.error.message } : {}
  })
}

function dismissed(turn: TurnContext, flows: FlowEngine, instanceId: string, by: Principal): Promise<Done> {
  return recorded(turn, 'flow_dismiss', { instanceId }, true, async ({ key }) => {
    const value = { v: 1, eventId: key, instanceId, reason: 'user_cancelled' }
    const said = { events: [{ type: 'CUSTOM', name: 'intentflow.dismiss_request', value }] }
    const { results } = await flows.say(turn.view.sessionId, said, by)
    checked(results[0])
    return {}
  })
}

/** An event that was refused is something to tell, with the reason that came with it. */
function checked<Result extends { readonly status: string; readonly message?: string | undefined }>(
  result: Result | undefined,
): Result {
  if (result === undefined || result.status === 'rejected') throw new FlowError('INVALID_TRANSITION', result?.message)
  return result
}

async function instanceResult(flows: FlowEngine, session: string, instanceId: string, by: Principal): Promise<Done> {
  const instance = (await flows.active(session, by))[instanceId]
  return instance === undefined ? {} : { instance }
}

/** Setting something twice is setting it once; adding it is not. */
function isRepeatable({ operations = [] }: PropsChange): boolean {
  return operations.every(({ op }) => op === 'set')
}

/** How a flow stands, in its own words: for users of mail and phones, who do not see it change. */
function standingText({ registry }: FlowActorOptions, { understood, instance }: FlowOutcome): string | undefined {
  if (instance === undefined || !('instanceId' in understood)) return undefined
  const flow = registry.getFlow(instance.intentId, instance.version)
  const { state, props, context } = instance
  const { instanceId } = understood
  const stands = { instanceId, state, props, context }
  return flow?.text?.({ ...stands, title: flow.meta.title, events: offeredEvents(flow, instance) })
}

function answerTo(
  { say, registry }: FlowActorOptions,
  deed: FlowOutcome,
  stands: string | undefined,
): [TurnState, readonly AuthoredPart[]] {
  const { understood, failed } = deed
  const words = say?.(deed)
  const said = (text: string) => [response(stands === undefined ? text : `${text}\n\n${stands}`)]
  if (failed !== undefined) return ['complete', said(words ?? failed)]
  if (understood.kind !== 'ask') return ['complete', said(words ?? plainWords(registry, understood))]
  if (registry.hasFlow(clarifyFlow.intentId)) return ['complete', words === undefined ? [] : [response(words)]]
  const { clarify } = understood
  const options = [...new Set(clarify.options.map(({ label }) => label))].filter(
    ({ length }) => length <= maxOptionLength,
  )
  const metadata = { ...(options.length > 0 && { options: options.slice(0, maxOptions) }), intentflow: clarify }
  return ['clarifying', [{ partType: 'clarify', text: words ?? clarify.question, metadata }]]
}

function plainWords(registry: FlowRegistry, understood: Exclude<Understood, { kind: 'ask' }>): string {
  const title = (intentId: string) => registry.getFlow(intentId)?.meta.title ?? intentId
  switch (understood.kind) {
    case 'open':
      return `Here it is: ${title(understood.intentId)}.`
    case 'event':
    case 'modify':
      return 'Done.'
    case 'dismiss':
      return `All right. “${title(understood.intentId)}” is closed.`
    case 'none': {
      const flows = registry.getFlows().filter(({ intentId }) => intentId !== clarifyFlow.intentId)
      return `I can help you with this: ${flows.map(({ meta }) => meta.title).join(', ')}.`
    }
  }
}

function pass(turn: TurnContext, passTo: string): Promise<void> {
  return turn.commit({ turnState: 'passed', passTo, parts: [], hash: contentHash(['passed', passTo]) })
}

/** Says something, unless an earlier run of this turn has said it. */
async function respond(turn: TurnContext, turnState: TurnState, parts: readonly AuthoredPart[]): Promise<void> {
  if (turn.committed.some((step) => step.turnState === turnState)) return
  await turn.commit({ turnState, parts, hash: contentHash([turnState, parts]) })
}

function response(text: string): AuthoredPart {
  return { partType: 'response', text }
}

/** The flow that a message asks for by its id, as `{ intentId, entities }` in a part `intentflow.invoke`. */
function invocationIn({ data, metadata }: Part): Understood[] {
  if (metadata.partType !== 'intentflow.invoke') return []
  const parsed = invocationSchema.safeParse(data)
  return parsed.success ? [{ kind: 'open', intentId: parsed.data.intentId, entities: parsed.data.entities ?? {} }] : []
}

function textOf(parts: readonly Part[]): string {
  return parts
    .filter((part) => othersContentOf(part) === undefined)
    .map(({ text }) => text ?? '')
    .join('')
}
