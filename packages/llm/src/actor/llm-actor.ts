import {
  BeachError,
  isBeachError,
  sleep,
  type Actor,
  type Injection,
  type LiveText,
  type Part,
  type Step,
  type TurnContext,
} from '@cool-ai/beach-core'
import type { Note } from '@cool-ai/beach-core/ports'
import { contentHash, raceAbort } from '@cool-ai/beach-core/runtime'
import { createModel } from '../models/create-model.ts'
import { streamParts, type Model, type ModelMessage, type ModelPrompt } from '../models/model.ts'
import { ModelFailure } from '../models/model-failure.ts'
import { EndlessMessage } from '../models/stream-limits.ts'
import { retryDelay } from '../models/retry.ts'
import { usageOf } from '../models/usage.ts'
import { RespondParser } from '../respond/respond-parser.ts'
import { respondTool } from '../respond/respond-tool.ts'
import { backgroundWorks } from '../tools/background.ts'
import type { ModelToolCall } from '../tools/plan-tool.ts'
import { Budget, type Usage } from './budget.ts'
import { useRespond } from './free-text.ts'
import { completeConfig, type LlmActorConfig, type LlmActorContext } from './config.ts'
import { StepReader, type ModelStep } from './model-step.ts'
import { inboundMessage, injectedMessages, pastMessages, systemMessage } from './prompt.ts'
import { runTools, toolResults, type Answered } from './tool-calls.ts'

/** What a step leaves in the log for a turn that goes on after a restart. */
interface Answer {
  readonly content: ModelStep['content']
  readonly respondIds: readonly string[]
  readonly tools: readonly ModelToolCall[]
  readonly usage: Usage
  /** How much of what manifests have brought the model had seen. */
  readonly seen?: number
  /** Those of `respondIds` that were delivered without some of their parts. */
  readonly cutIds?: readonly string[]
}

const maxCorrections = 3
const cutShort = 'Delivered, but without the parts that were still not valid: nobody has seen those.'
const maxProblems = 20
const tooLong = 'Your message reached its length limit and was cut off there: say less at once, in several calls.'

/** An actor that a model plays. */
export interface LlmActor extends Actor {
  /** The same actor with another model, or whatever else of its configuration is to differ. */
  with(changes: Partial<LlmActorConfig>): LlmActor
}

/** An actor that a model plays: it speaks by `respond()` only, calls tools, and stays within its budget. */
export function llmActor(config: LlmActorConfig): LlmActor {
  const world = completeConfig(config)
  const tool = respondTool(respondOptions(world))
  const works = backgroundWorks(world.toolsByName.values(), world.runtime)
  let loading: Promise<Model> | undefined
  const loaded = async (): Promise<Model> => {
    if (typeof config.model !== 'string') return config.model
    loading ??= createModel(config.model)
    return loading
  }
  return {
    run: async (turn) => new LlmTurn({ ...world, model: await loaded() }, tool, turn).run(),
    works,
    with: (changes) => llmActor({ ...config, ...changes }),
    async within({ name, tools: offered }) {
      const model = await loaded()
      const tools = [...(config.tools ?? []), ...offered.filter((one) => !world.toolsByName.has(one.name))]
      return llmActor({ ...config, name: config.name ?? name, model, tools })
    },
  }
}

type PlayedContext = LlmActorContext & { readonly model: Model }

/** One turn of an LLM actor, from wherever the log says it stands. */
class LlmTurn {
  readonly #context: PlayedContext
  readonly #respond: ReturnType<typeof respondTool>
  readonly #turn: TurnContext
  readonly #budget: Budget
  readonly #prompt: ModelMessage[] = []
  #notes: Note[] = []
  #seen = 0
  /** True when the model has nothing more to do until something comes. */
  #waits = false
  #corrections = 0
  /** True when the model has been told of parts that are dropped if they are wrong again. */
  #warned = false
  #freeTexts = 0

  constructor(world: PlayedContext, respond: ReturnType<typeof respondTool>, turn: TurnContext) {
    this.#context = world
    this.#respond = respond
    this.#turn = turn
    this.#budget = new Budget(world.budget ?? {}, world.runtime.clock)
  }

  async run(): Promise<void> {
    await this.#begin()
    for (;;) {
      const exceeded = this.#budget.exceeded()
      if (exceeded !== undefined) return this.#stop(exceeded, 'budget', 'BUDGET')
      if (!(await this.#arrivals())) return
      const step = await this.#call()
      if (step === undefined) return
      this.#note('usage', { model: this.#context.model.modelId, ...this.#usage(step) })
      if (await this.#take(step)) return
    }
  }

  /** The conversation so far: earlier turns, this turn's messages, and what this turn has already done. */
  async #begin(): Promise<void> {
    const { prompt, context = [], history = {} } = this.#context
    const { view, messages, committed } = this.#turn
    this.#prompt.push(await systemMessage(prompt, context, view, messages))
    this.#prompt.push(...pastMessages(await this.#turn.history(history.turns ?? 20), history))
    if (messages.length > 0) this.#prompt.push(inboundMessage(messages))
    const injected = await this.#turn.injected(0)
    this.#show(injected.slice(0, this.#turn.began.length))
    for (const step of committed) {
      if (step.answer === undefined) continue
      const answer = step.answer as Answer
      this.#budget.add(answer.usage)
      this.#show(injected.slice(this.#seen, answer.seen))
      await this.#afterStep(answer)
      // A turn that was suspended goes on because something was decided.
      this.#waits = answer.tools.length === 0 && step.turnState !== 'suspended'
    }
  }

  /** Shows the model what has come meanwhile, and waits for it when there is nothing else to do; false when the turn has ended. */
  async #arrivals(): Promise<boolean> {
    const news = this.#turn.injected(this.#seen, { wait: this.#waits })
    this.#waits = false
    try {
      this.#show(await this.#inTime(() => news))
      return true
    } catch (error) {
      if (!isBeachError(error, 'TIMEOUT')) throw error
      await this.#stop(error.message, 'timeout', 'TIMEOUT')
      return false
    }
  }

  #show(injections: readonly Injection[]): void {
    this.#seen += injections.length
    this.#prompt.push(...injectedMessages(injections))
  }

  /** Calls the model, again when that can help; undefined when the turn has ended instead. */
  async #call(): Promise<ModelStep | undefined> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#inTime((signal) => this.#read(signal))
      } catch (error) {
        this.#turn.signal.throwIfAborted()
        if (isBeachError(error, 'TIMEOUT')) return this.#stop(error.message, 'timeout', 'TIMEOUT')
        if (!(error instanceof ModelFailure)) throw error
        this.#turn.retract()
        this.#note('model-error', { attempt, ...error.facts })
        if (error instanceof EndlessMessage) return this.#stop(error.message, 'budget', 'BUDGET')
        const delay = retryDelay(error, attempt, this.#context.retry ?? {}, this.#context.runtime)
        if (delay === undefined || delay >= this.#budget.timeLeft()) return this.#giveUp(error, attempt)
        await sleep(this.#context.runtime.clock, delay, this.#turn.signal)
      }
    }
  }

  async #giveUp({ facts, frames, retryable }: ModelFailure, attempt: number): Promise<undefined> {
    const where = { turn: this.#turn.turnId, ...(frames.length > 0 && { frames }) }
    this.#context.runtime.logger.log('error', 'a model call failed', { attempt, ...facts, ...where })
    const text = retryable
      ? 'The model cannot be reached right now. Please try again later.'
      : 'The model did not accept this request, so there is no answer.'
    return this.#stop(text, 'error', 'MODEL_FAILED')
  }

  async #inTime<Value>(run: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const late = new AbortController()
    const cancel = this.#context.runtime.clock.timer(this.#budget.timeLeft(), () => {
      late.abort(new BeachError('TIMEOUT', this.#budget.exceeded() ?? 'This took too long.'))
    })
    const signal = AbortSignal.any([this.#turn.signal, late.signal])
    try {
      return await raceAbort(run(signal), signal)
    } finally {
      cancel()
    }
  }

  async #read(abortSignal: AbortSignal): Promise<ModelStep> {
    const onText = (text: LiveText) => this.#turn.live(text)
    const parserOptions = { ...respondOptions(this.#context), dropInvalid: true }
    const reader = new StepReader((report) => new RespondParser({ ...parserOptions, onText: report }), onText)
    const options = { ...this.#settings(), prompt: [...this.#prompt], abortSignal }
    const { model, streamLimits, runtime, maxOutputTokens = Infinity } = this.#context
    const maxTokens = Math.min(this.#budget.tokensLeft(), maxOutputTokens)
    for await (const part of streamParts(model, options, { ...streamLimits, clock: runtime.clock, maxTokens })) {
      abortSignal.throwIfAborted()
      reader.read(part)
    }
    return reader.end()
  }

  #settings() {
    const { maxOutputTokens, temperature, providerOptions, forceToolUse, toolsByName } = this.#context
    const { name, description, inputSchema } = this.#respond
    const others = [...toolsByName.values()].map(({ definition, input }) => ({
      type: 'function' as const,
      name: definition.name,
      description: definition.description,
      inputSchema: input.jsonSchema,
    }))
    return {
      tools: [{ type: 'function' as const, name, description, inputSchema }, ...others],
      toolChoice: { type: forceToolUse === true ? ('required' as const) : ('auto' as const) },
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(temperature !== undefined && { temperature }),
      ...(providerOptions && { providerOptions: { ...providerOptions } }),
    }
  }

  /** What follows from a message of the model; true when the turn is over for this actor. */
  async #take(step: ModelStep): Promise<boolean> {
    this.#budget.add(this.#usage(step))
    if (step.problems.size > 0) return this.#correct(step)
    const early = this.#endsBeforeTools(step)
    if (early !== undefined) return this.#correct({ ...step, problems: early })
    const dropped = droppedParts(step)
    if (dropped.size > 0 && !this.#warned) {
      this.#warned = true
      return this.#correct({ ...step, problems: dropped })
    }
    if (step.responds.length === 0 && step.tools.length === 0) return this.#freeText(step)
    if (step.freeText !== '') this.#note('free-text', { text: step.freeText, handled: 'left out' })
    return this.#commit(step)
  }

  /** A turn that ends cannot wait for the tools of the same message: they would never be run. */
  #endsBeforeTools({ responds, tools }: ModelStep): ReadonlyMap<string, string> | undefined {
    const last = responds.at(-1)
    if (last === undefined || tools.length === 0) return undefined
    if (this.#context.turnStates.get(last.call.turnState)?.isTerminal !== true) return undefined
    const problem = `The turn state '${last.call.turnState}' ends the turn, but this message also calls tools. Use 'awaiting' until they have answered.`
    return new Map([[last.toolCallId, problem]])
  }

  async #commit(step: ModelStep): Promise<boolean> {
    const calls = step.responds.map(({ call }) => call)
    const last = calls.at(-1)
    const turnState = last?.turnState ?? 'awaiting'
    for (const { note } of calls) if (note !== undefined) this.#note('note', note)
    const cutIds = [...droppedParts(step).keys()]
    const answer: Answer = {
      content: step.content,
      respondIds: step.responds.map(({ toolCallId }) => toolCallId),
      tools: step.tools,
      usage: this.#usage(step),
      seen: this.#seen,
      ...(cutIds.length > 0 && { cutIds }),
    }
    const parts = [...calls.flatMap((call) => call.parts).map((part) => this.#stamped(part)), ...this.#trace(step)]
    const passTo = last?.passTo === undefined ? undefined : { passTo: last.passTo }
    const dropped = calls.flatMap((call) => call.dropped ?? []).map((value) => ({ kind: 'dropped-part', value }))
    try {
      const hash = contentHash(step.content)
      await this.#append({ turnState, parts, answer: this.#kept(answer), hash, ...passTo }, dropped)
    } catch (error) {
      const correctable = ['INVALID_PART', 'INVALID_STATE', 'UNKNOWN_ACTOR']
      if (!isBeachError(error) || !correctable.includes(error.code)) throw error
      const problems = new Map(step.responds.map(({ toolCallId }) => [toolCallId, error.message]))
      return this.#correct({ ...step, problems })
    }
    this.#corrections = 0
    this.#warned = false
    const meaning = this.#context.turnStates.get(turnState)
    if (meaning?.holdsActor !== true || turnState === 'suspended') return true
    await this.#afterStep(answer)
    this.#waits = step.tools.length === 0
    return false
  }

  /** Runs the step's tools and puts everything that was said and found before the model. */
  async #afterStep({ content, respondIds, tools, cutIds = [] }: Answer): Promise<void> {
    const delivered: Answered[] = respondIds.map((toolCallId) => ({
      toolCallId,
      toolName: 'respond',
      output: { type: 'text', value: cutIds.includes(toolCallId) ? cutShort : 'Delivered.' },
    }))
    const outcomes = await runTools(tools, this.#turn, this.#context)
    this.#prompt.push({ role: 'assistant', content }, toolResults([...delivered, ...outcomes]))
  }

  /** A `respond()` that cannot be delivered: what was shown of it is taken back, and the model is told what is wrong. */
  async #correct(step: ModelStep): Promise<boolean> {
    this.#turn.retract()
    this.#note('invalid-respond', [...step.problems.values()])
    if (++this.#corrections > maxCorrections) {
      await this.#stop('I could not put my answer into a valid form.', 'error', 'INVALID_RESPOND')
      return true
    }
    const ids = [...step.problems.keys(), ...step.responds.map(({ toolCallId }) => toolCallId)]
    const cut = step.finish.finishReason.unified === 'length' ? `\n${tooLong}` : ''
    const refused = [...new Set(ids)].map((toolCallId): Answered => {
      const problem = step.problems.get(toolCallId) ?? 'Not delivered: another respond() of this message was wrong.'
      return { toolCallId, toolName: 'respond', output: { type: 'error-text', value: `${problem}${cut}` } }
    })
    const skipped = step.tools.map(({ toolCallId, toolName }): Answered => {
      const value = 'Not run: a respond() of this message was wrong. Correct it and call this tool again.'
      return { toolCallId, toolName, output: { type: 'error-text', value } }
    })
    this.#prompt.push({ role: 'assistant', content: step.content }, toolResults([...refused, ...skipped]))
    return false
  }

  /** Text outside of `respond()`, or nothing at all. */
  async #freeText(step: ModelStep): Promise<boolean> {
    const { freeText } = step
    const strict = this.#context.freeText === 'strict'
    const again = ++this.#freeTexts > 1
    const handled = strict ? 'error' : again ? 'wrapped' : 'sent back'
    this.#note('free-text', { text: freeText, handled })
    if (strict || (again && freeText === '')) {
      await this.#stop('I could not put my answer into a valid form.', 'error', 'FREE_TEXT')
      return true
    }
    if (again) {
      const parts: Part[] = [{ text: freeText, metadata: { partType: 'response' } }]
      parts.push(...this.#trace(step))
      await this.#append({ turnState: 'complete', parts, hash: contentHash(freeText) })
      return true
    }
    const said: ModelPrompt = freeText === '' ? [] : [{ role: 'assistant', content: step.content }]
    this.#prompt.push(...said, { role: 'user', content: [{ type: 'text', text: useRespond }] })
    return false
  }

  #kept(answer: Answer): Answer {
    if (this.#context.reasoning !== 'off') return answer
    return { ...answer, content: answer.content.filter(({ type }) => type !== 'reasoning') }
  }

  #trace({ reasoning }: ModelStep): Part[] {
    if (reasoning === '' || this.#context.reasoning === 'off') return []
    return [{ text: reasoning, metadata: { partType: 'reasoning-trace' } }]
  }

  #stamped(part: Part): Part {
    const { domainDataMergeStrategy: mergeStrategy } = this.#context
    const { partType, mergeStrategy: own } = part.metadata
    if (partType !== 'domain-data' || own !== undefined || mergeStrategy === undefined) return part
    return { ...part, metadata: { ...part.metadata, mergeStrategy } }
  }

  #usage(step: ModelStep): Usage {
    return usageOf(step.finish.usage, this.#context.prices)
  }

  async #stop(text: string, finalizedBy: string, code: string): Promise<undefined> {
    this.#turn.retract()
    const part: Part = { text, metadata: { partType: 'error', code } }
    await this.#append({ turnState: 'error', parts: [part], finalizedBy, hash: code })
  }

  #note(kind: string, value: unknown): void {
    this.#notes.push({ kind, value })
  }

  /** Commits a step with the notes that have gathered; they stay when it fails. */
  async #append(step: Step, notes: readonly Note[] = []): Promise<void> {
    await this.#turn.commit({ ...step, notes: [...this.#notes, ...notes] })
    this.#notes = []
  }
}

/** What is wrong with parts that can be dropped, by the calls that they are in. */
function droppedParts({ responds }: ModelStep): ReadonlyMap<string, string> {
  return new Map(
    responds.flatMap(({ toolCallId, call: { dropped = [] } }) => {
      const problems = dropped.flatMap((part) => part.problems).slice(0, maxProblems)
      return problems.length === 0 ? [] : [[toolCallId, problems.join('\n')]]
    }),
  )
}

function respondOptions({ partTypes, turnStates, passTo = [], domainDataSchema, coordinates }: LlmActorContext) {
  return { partTypes, turnStates, actors: passTo, domainDataSchema, coordinates }
}
