import {
  BeachError,
  isBeachError,
  sleep,
  type Injection,
  type LiveText,
  type Part,
  type Step,
  type TurnContext,
  type TurnState,
} from '@cool-ai/beach-core'
import type { Note } from '@cool-ai/beach-core/ports'
import { contentHash, defined, raceAbort } from '@cool-ai/beach-core/runtime'
import { streamParts, type Model, type ModelMessage, type ModelPrompt } from '../models/model.ts'
import { ModelFailure } from '../models/model-failure.ts'
import { EndlessMessage, type StreamBounds } from '../models/stream-limits.ts'
import { retryDelay } from '../models/retry.ts'
import { reportedCall } from '../models/reported-call.ts'
import { usageOf } from '../models/usage.ts'
import type { RespondCall } from '../respond/respond-call.ts'
import { CitedSources } from '../respond/cited-sources.ts'
import { RespondParser } from '../respond/respond-parser.ts'
import type { respondTool } from '../respond/respond-tool.ts'
import { ClientTools } from '../tools/client-tools.ts'
import { Budget, type Usage } from './budget.ts'
import {
  askedCall,
  cutOf,
  joined,
  resultsOf,
  respondResults,
  type Answer,
  type Delivered,
} from './delivered-message.ts'
import { useRespond } from './free-text.ts'
import type { LlmActorContext } from './config.ts'
import { StepReader, type ModelStep, type ReadyCall } from './model-step.ts'
import { inboundMessage, injectedMessages, pastMessages, systemMessage } from './prompt.ts'
import { promptRecord } from './prompt-record.ts'
import { runTools, toolResults, type Answered } from './tool-calls.ts'

const maxCorrections = 3
const maxProblems = 20
/** A message that becomes no step is on record up to this many characters. */
const maxNoted = 60_000
const tooLong = 'Your message reached its length limit and was cut off there: say less at once, in several calls.'

/** What a turn runs with. */
type PlayedContext = LlmActorContext & { readonly model: Model }

/** One turn of an LLM actor, from the state in the log. */
export class LlmTurn {
  readonly #context: PlayedContext
  readonly #respond: ReturnType<typeof respondTool>
  readonly #turn: TurnContext
  readonly #budget: Budget
  readonly #clientTools: ClientTools
  readonly #sources = new CitedSources()
  readonly #prompt: ModelMessage[] = []
  #notes: Note[] = []
  #seen = 0
  /** True when the model has nothing more to do until a result arrives. */
  #waits = false
  #corrections = 0
  /** True when the model has been told of parts that are dropped if they are wrong again. */
  #warned = false
  #freeTexts = 0
  /** True when the turn's result is in the log. */
  #hasResult = false
  /** How long the last call of the model took, and how long until it said anything. */
  #timing: { readonly ms: number; readonly firstTokenMs?: number } = { ms: 0 }
  /** How many messages of the prompt, and which call's, are on record; none when prompts are not recorded. */
  #recorded = 0
  #sent = 0
  /** The delivered part of the message that is arriving. */
  #delivered: Delivered | undefined

  constructor(context: PlayedContext, respond: ReturnType<typeof respondTool>, turn: TurnContext) {
    this.#context = context
    this.#respond = respond
    this.#turn = turn
    this.#clientTools = new ClientTools(turn.clientTools, context.toolsByName)
    this.#budget = new Budget(context.budget ?? {}, context.runtime.clock)
  }

  async run(): Promise<void> {
    await this.#begin()
    for (;;) {
      const exceeded = this.#budget.exceeded() ?? this.#turn.spent?.()
      if (exceeded !== undefined) return this.#stop(exceeded, 'budget', 'BUDGET')
      if (!(await this.#arrivals())) return
      const step = await this.#call()
      if (step === undefined) return
      this.#note('usage', { model: this.#context.model.modelId, ...this.#usage(step), ...this.#timing })
      this.#recordPrompt()
      if (await this.#take(step)) return
    }
  }

  /** The conversation so far: earlier turns, this turn's messages, and what this turn has already done. */
  async #begin(): Promise<void> {
    const { prompt, context = [], history = {} } = this.#context
    const { messages, committed } = this.#turn
    const described = [...this.#context.toolsByName.values()].flatMap(({ definition }) => definition.describedBy ?? [])
    this.#turn.sees(described)
    const { view, clientState } = this.#turn
    const sees = (origins: readonly string[]) => this.#turn.sees(origins)
    this.#prompt.push(await systemMessage(prompt, context, { view, messages, clientState, sees }))
    this.#prompt.push(...pastMessages(await this.#turn.history(history.turns ?? 20), history))
    if (messages.length > 0) this.#prompt.push(inboundMessage(messages, this.#turn.forwarded))
    const injected = await this.#turn.injected(0)
    this.#show(injected.slice(0, this.#turn.began.length))
    for (const step of committed) {
      if (step.answer === undefined) continue
      const answer = step.answer as Answer
      this.#hasResult ||= answer.hasResult === true
      this.#show(injected.slice(this.#seen, answer.seen))
      this.#delivered = joined(this.#delivered, answer, step.turnState)
      if (answer.usage === undefined) continue
      this.#budget.add(answer.usage)
      await this.#afterMessage()
      // A turn that was suspended goes on because something was decided.
      this.#waits = answer.tools.length === 0 && step.turnState !== 'suspended'
    }
    // The host ended in the middle of a message: the model goes on after what was delivered of it.
    await this.#afterMessage()
  }

  /**
   * Shows the model what has arrived meanwhile, and waits for it when there is nothing else to do; false when the turn
   * has ended.
   */
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

  /** Calls the model, with retries where they can help; undefined when the turn has ended instead. */
  async #call(): Promise<ModelStep | undefined> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt()
      } catch (error) {
        this.#turn.signal.throwIfAborted()
        if (isBeachError(error, 'TIMEOUT')) {
          await this.#stop(error.message, 'timeout', 'TIMEOUT')
          return undefined
        }
        if (!(error instanceof ModelFailure)) throw error
        this.#turn.retract()
        await this.#afterMessage()
        this.#note('model-error', { attempt, ...error.facts })
        if (error instanceof EndlessMessage) {
          await this.#stop(error.message, 'budget', 'BUDGET')
          return undefined
        }
        const delay = retryDelay(error, attempt, this.#context.retry ?? {}, this.#context.runtime)
        if (delay === undefined || delay >= this.#budget.timeLeft()) {
          await this.#giveUp(error, attempt)
          return undefined
        }
        await sleep(this.#context.runtime.clock, delay, this.#turn.signal)
      }
    }
  }

  async #giveUp({ facts, frames, retryable, isRefusedKey }: ModelFailure, attempt: number): Promise<void> {
    const where = frames.length > 0 ? { frames } : {}
    this.#context.runtime.logger.log('error', 'a model call failed', {
      turn: this.#turn.turnId,
      ...defined({ trace: this.#turn.traceId }),
      attempt,
      ...facts,
      ...where,
    })
    const text = retryable
      ? 'The model cannot be reached right now. Please try again later.'
      : isRefusedKey
        ? 'The model’s provider did not accept the agent’s key. The agent’s operator has to set a valid one; until then there are no answers.'
        : 'The model did not accept this request, so there is no answer.'
    await this.#stop(text, 'error', 'MODEL_FAILED', retryable)
  }

  /** One call of the model, within the time that is left. */
  #attempt(): Promise<ModelStep> {
    return reportedCall(this.#context.model, async (found) => {
      const step = await this.#inTime((signal) => this.#read(signal))
      const finishReason = step.finish.finishReason.unified
      found({ ...this.#usage(step), finishReason, responseModel: step.modelId })
      return step
    })
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
    const reader = new StepReader((report) => this.#parser(report), onText)
    const options = { ...this.#settings(), prompt: [...this.#prompt], abortSignal }
    const { clock } = this.#context.runtime
    const began = clock.now()
    this.#sent = options.prompt.length
    let firstTokenMs: number | undefined
    for await (const part of streamParts(this.#context.model, options, this.#bounds())) {
      abortSignal.throwIfAborted()
      if (part.type.endsWith('-delta') || part.type === 'tool-call') firstTokenMs ??= clock.now() - began
      reader.read(part)
      for (let ready = reader.ready(); ready !== undefined && this.#isDue(ready); ready = reader.ready()) {
        const problem = await this.#deliver(ready)
        if (problem === undefined) reader.delivered(ready)
        else reader.refuse(ready, problem)
      }
    }
    this.#timing = defined({ ms: clock.now() - began, firstTokenMs })
    return reader.end()
  }

  #bounds(): StreamBounds {
    const { streamLimits, runtime, maxOutputTokens = Infinity } = this.#context
    return { ...streamLimits, clock: runtime.clock, maxTokens: Math.min(this.#budget.tokensLeft(), maxOutputTokens) }
  }

  #parser(onText: (text: LiveText) => void): RespondParser {
    const partContext = { catalogOf: (surfaceId: string) => this.#turn.catalogOf?.(surfaceId) }
    const options = { ...respondOptions(this.#context), partContext, sources: this.#sources }
    return new RespondParser({ ...options, dropInvalid: true, onText })
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
    return defined({
      tools: [
        { type: 'function' as const, name, description, inputSchema },
        ...others,
        ...this.#clientTools.definitions,
      ],
      toolChoice: { type: forceToolUse === true ? ('required' as const) : ('auto' as const) },
      maxOutputTokens,
      temperature,
      providerOptions: providerOptions && { ...providerOptions },
    })
  }

  /**
   * True for a call that is delivered while the message still arrives. A call that ends the turn, or that passes it on,
   * is not: the message may have more.
   */
  #isDue({ call: { turnState, dropped = [] } }: ReadyCall): boolean {
    return this.#goesOn(turnState) && (dropped.length === 0 || this.#warned)
  }

  /** True when the actor goes on after a step in this state. */
  #goesOn(turnState: TurnState): boolean {
    const meaning = this.#context.turnStates.get(turnState)
    return meaning?.holdsActor === true && !meaning.isTerminal && turnState !== 'suspended'
  }

  /** Commits one `respond()` call as a step of its own; returns what is wrong with it, if something is. */
  async #deliver({ toolCallId, call, content }: ReadyCall): Promise<string | undefined> {
    const answer: Answer = {
      content,
      respondIds: [toolCallId],
      tools: [],
      seen: this.#seen,
      ...cutOf(toolCallId, call),
    }
    return this.#commit(call, answer)
  }

  /** What follows from the rest of a message; true when the turn is over for this actor. */
  async #take(step: ModelStep): Promise<boolean> {
    this.#budget.add(this.#usage(step))
    if (step.problems.size > 0) return this.#correct(step)
    const early = this.#endsTooEarly(step)
    if (early !== undefined) return this.#correct({ ...step, problems: early })
    const dropped = droppedParts(step)
    if (dropped.size > 0 && !this.#warned) {
      this.#warned = true
      return this.#correct({ ...step, problems: dropped })
    }
    const missing = this.#missingResult(step)
    if (missing !== undefined) return this.#correct({ ...step, problems: missing })
    const isSilent = step.responds.length === 0 && step.tools.length === 0 && this.#delivered === undefined
    if (isSilent) return this.#freeText(step)
    if (step.freeText !== '') this.#note('free-text', { text: step.freeText, handled: 'left out' })
    return this.#close(step)
  }

  /** An answer of an actor with an `output` comes with it; a question, an error, and a turn that is handed over do without. */
  #missingResult({ responds }: ModelStep): ReadonlyMap<string, string> | undefined {
    const last = responds.at(-1)
    if (this.#context.result === undefined || this.#hasResult || last === undefined) return undefined
    const { isTerminal, emitsEnvelope } = this.#context.turnStates.get(last.call.turnState) ?? {}
    const ends = isTerminal === true && emitsEnvelope === true && last.call.turnState !== 'error'
    if (!ends || responds.some(({ call }) => hasData(call.parts))) return undefined
    const problem =
      "The answer needs its result: a part with the partType 'domain-data' whose data fits the schema of respond(). Send all of this call again, with that part."
    return new Map([[last.toolCallId, problem]])
  }

  /** A turn that ends can neither wait for the tools of the same message nor get more from it. */
  #endsTooEarly({ responds: [first, second], tools }: ModelStep): ReadonlyMap<string, string> | undefined {
    if (first === undefined) return undefined
    const { turnState } = first.call
    const isTerminal = this.#context.turnStates.get(turnState)?.isTerminal === true
    const more = second !== undefined ? 'calls respond() again after it' : tools.length > 0 ? 'also calls tools' : ''
    if (more === '' || (second === undefined && !isTerminal)) return undefined
    const what = isTerminal ? 'ends the turn' : 'hands the turn over'
    const advice = second === undefined ? "Use 'awaiting' until they have answered." : 'It must be the last call.'
    return new Map([[first.toolCallId, `The turn state '${turnState}' ${what}, but this message ${more}. ${advice}`]])
  }

  /** Commits the rest of a message: its last call, its tools, and its usage. */
  async #close(step: ModelStep): Promise<boolean> {
    const [last] = step.responds
    const asked = askedCall(last)
    const said = last?.call ?? { turnState: this.#delivered?.turnState ?? 'awaiting', parts: [] }
    // Running the calls that need approval suspends the turn, with the requests that they make.
    const call: RespondCall = asked.length > 0 ? { ...said, turnState: 'awaiting' as const } : said
    const answer: Answer = {
      content: step.content,
      respondIds: last === undefined ? [] : [last.toolCallId],
      tools: [...asked, ...step.tools.map((tool) => this.#clientTools.kept(tool))],
      usage: this.#usage(step),
      seen: this.#seen,
      ...(last !== undefined && cutOf(last.toolCallId, last.call)),
    }
    const problem = await this.#commit(call, answer, this.#trace(step))
    if (problem !== undefined) {
      return this.#correct({ ...step, problems: new Map(last === undefined ? [] : [[last.toolCallId, problem]]) })
    }
    this.#corrections = 0
    this.#warned = false
    if (!this.#goesOn(call.turnState)) return true
    await this.#afterMessage()
    this.#waits = answer.tools.length === 0
    return false
  }

  /** One step of the log; returns what is wrong with it, if the model can correct it. */
  async #commit(
    { turnState, parts, passTo, note, dropped = [] }: RespondCall,
    answer: Answer,
    trace: readonly Part[] = [],
  ): Promise<string | undefined> {
    const notes: Note[] = dropped.map((value) => ({ kind: 'dropped-part', value }))
    if (note !== undefined) notes.unshift({ kind: 'note', value: note })
    const hasResult = this.#context.result !== undefined && hasData(parts)
    const step = {
      turnState,
      parts: [...parts.map((part) => this.#stamped(part)), ...trace],
      answer: this.#kept(hasResult ? { ...answer, hasResult } : answer),
      hash: contentHash(answer.content),
      passTo,
    }
    try {
      await this.#append(step, notes)
    } catch (error) {
      const correctable = ['INVALID_PART', 'INVALID_STATE', 'UNKNOWN_ACTOR']
      if (!isBeachError(error) || !correctable.includes(error.code)) throw error
      return error.message
    }
    this.#hasResult ||= hasResult
    this.#delivered = joined(this.#delivered, answer, turnState)
    return undefined
  }

  /** Runs the tools of the message and adds its content and their results to the conversation. */
  async #afterMessage(): Promise<void> {
    if (this.#delivered === undefined) return
    const { content, tools } = this.#delivered
    const outcomes = await runTools(tools, this.#turn, this.#context, this.#budget, this.#sources)
    this.#prompt.push({ role: 'assistant', content }, toolResults(resultsOf(this.#delivered, outcomes)))
    this.#delivered = undefined
  }

  /** A `respond()` that cannot be delivered: its shown text is retracted, and the model is told what is wrong. */
  async #correct(step: ModelStep): Promise<boolean> {
    this.#turn.retract()
    this.#noteMessage(step)
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
    const content = [...(this.#delivered?.content ?? []), ...step.content]
    this.#prompt.push(
      { role: 'assistant', content },
      toolResults([...respondResults(this.#delivered), ...refused, ...skipped]),
    )
    this.#delivered = undefined
    return false
  }

  /**
   * Text outside of `respond()`, or an empty message: the model is told once. Listeners get the text only where the
   * author has asked for that.
   */
  async #freeText(step: ModelStep): Promise<boolean> {
    const { freeText } = step
    this.#noteMessage(step)
    const isFirst = ++this.#freeTexts === 1
    const isWrapped = !isFirst && this.#context.freeText === 'wrap' && freeText !== ''
    this.#note('free-text', { text: freeText, handled: isFirst ? 'sent back' : isWrapped ? 'wrapped' : 'error' })
    if (isFirst) {
      const said: ModelPrompt = freeText === '' ? [] : [{ role: 'assistant', content: step.content }]
      this.#prompt.push(...said, { role: 'user', content: [{ type: 'text', text: useRespond }] })
      return false
    }
    if (isWrapped) {
      const part: Part = { text: freeText, metadata: { partType: 'response' } }
      await this.#append({ turnState: 'complete', parts: [part, ...this.#trace(step)], hash: contentHash(freeText) })
      return true
    }
    await this.#stop('I could not put my answer into a valid form.', 'error', 'FREE_TEXT')
    return true
  }

  /** What may be kept of an answer. */
  #kept(answer: Answer): Answer {
    if (this.#context.reasoning !== 'off') return answer
    return { ...answer, content: answer.content.filter(({ type }) => type !== 'reasoning') }
  }

  #trace({ reasoning }: ModelStep): Part[] {
    if (reasoning === '' || this.#context.reasoning === 'off') return []
    return [{ text: reasoning, metadata: { partType: 'reasoning-trace' } }]
  }

  #stamped(part: Part): Part {
    const { domainDataMergeStrategy: mergeStrategy, outputKind: kind } = this.#context
    if (part.metadata.partType !== 'domain-data') return part
    // What the model says of itself of these wins, but for the kind of the result.
    return { ...part, metadata: { ...defined({ mergeStrategy }), ...part.metadata, ...defined({ kind }) } }
  }

  #usage(step: ModelStep): Usage {
    return usageOf(step.finish.usage, this.#context.prices)
  }

  /** A message that becomes no step: the log has all that a model has said. */
  #noteMessage({ content, unreadable }: ModelStep): void {
    const said = defined({ content, unreadable })
    this.#note('model-message', JSON.stringify(said).length > maxNoted ? { content: [], isCut: true } : said)
  }

  /** Puts what is new in the prompt of the last call on record, where the agent keeps prompts. */
  #recordPrompt(): void {
    if (this.#context.recordPrompts !== true) return
    this.#note('prompt', promptRecord(this.#prompt.slice(0, this.#sent), this.#recorded))
    this.#recorded = this.#sent
  }

  async #stop(text: string, finalizedBy: string, code: string, retryable = true): Promise<void> {
    this.#turn.retract()
    // Listeners offer no second attempt at what fails again.
    const metadata = { partType: 'error', code, ...(!retryable && { retryable }) }
    const part: Part = { text, metadata }
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

function hasData(parts: readonly Part[]): boolean {
  return parts.some(({ metadata }) => metadata.partType === 'domain-data')
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

export function respondOptions({
  partTypes,
  turnStates,
  toolsByName,
  passTo,
  domainDataSchema,
  result,
  coordinates,
}: LlmActorContext) {
  return {
    partTypes,
    turnStates,
    actors: passTo,
    approvable: [...toolsByName.keys()],
    domainDataSchema,
    result,
    coordinates,
  }
}
