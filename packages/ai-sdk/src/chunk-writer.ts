import { defined } from '@cool-ai/beach-core/runtime'
import type { MessageStep } from './turn-message.ts'
import type { ToolPart, UiChunk, UiPart } from './ui-message.ts'
import type { KeyedPart } from './ui-parts.ts'

/**
 * Tells a page what has changed in a message. What a step has said grows by deltas; a step that turns out otherwise, after a
 * crash, is reset and told again.
 */
export class ChunkWriter {
  #step: number | undefined
  #sent: readonly KeyedPart[] = []
  /** Calls as the page has them; those of an earlier answer too. */
  readonly #calls = new Map<string, ToolPart>()

  /** `known` are calls that the page has from before: only what has changed of them is news. */
  constructor(known: readonly ToolPart[] = []) {
    for (const call of known) this.#calls.set(call.toolCallId, call)
  }

  /** The chunks that bring the page's copy of a message up to date. */
  update(steps: readonly MessageStep[]): UiChunk[] {
    return steps.flatMap(({ step, parts }) => {
      if (step < (this.#step ?? 0)) return this.#changes(parts)
      return step === this.#step ? this.#goOn(parts) : [...this.#begin(step), ...this.#goOn(parts)]
    })
  }

  /** Ends the step that is open. */
  close(): UiChunk[] {
    const open = this.#step !== undefined
    this.#step = undefined
    return open ? [...this.#sent.flatMap(endOfText), { type: 'finish-step' }] : []
  }

  #begin(step: number): UiChunk[] {
    const closed = this.close()
    this.#step = step
    this.#sent = []
    return [...closed, { type: 'start-step' }]
  }

  #goOn(parts: readonly KeyedPart[]): UiChunk[] {
    const before = this.#sent
    this.#sent = parts
    if (!goesOn(before, parts)) return [{ type: 'reset-step' }, ...parts.flatMap(({ part }) => this.#whole(part))]
    return parts.flatMap(({ part }, index) => {
      const sent = before[index]?.part
      return sent === undefined ? this.#whole(part) : this.#more(sent, part)
    })
  }

  #whole(part: UiPart): UiChunk[] {
    if (part.type === 'dynamic-tool') {
      this.#calls.set(part.toolCallId, part)
      return callChunks(part)
    }
    return wholeChunks(part)
  }

  #more(sent: UiPart, part: UiPart): UiChunk[] {
    if (part.type === 'dynamic-tool') return this.#changed(part)
    if (isText(part) && isText(sent)) return textChunks(part, sent)
    return JSON.stringify(sent) === JSON.stringify(part) ? [] : wholeChunks(part)
  }

  /** What is new of steps that are over: how their calls go on. */
  #changes(parts: readonly KeyedPart[]): UiChunk[] {
    return parts.flatMap(({ part }) => (part.type === 'dynamic-tool' ? this.#changed(part) : []))
  }

  #changed(part: ToolPart): UiChunk[] {
    const sent = this.#calls.get(part.toolCallId)
    this.#calls.set(part.toolCallId, part)
    const asked = sent?.approval === undefined ? requestChunks(part) : []
    const decided = sent?.approval?.approved === undefined ? decisionChunks(part) : []
    return [...asked, ...decided, ...(sent?.outcome === undefined ? outcomeChunks(part) : [])]
  }
}

type TextPart = Extract<UiPart, { readonly text: string }>

function isText(part: UiPart): part is TextPart {
  return part.type === 'text' || part.type === 'reasoning'
}

/** True when what was sent need not be taken back. */
function goesOn(before: readonly KeyedPart[], parts: readonly KeyedPart[]): boolean {
  return before.every(({ key, part: sent }, index) => {
    const now = parts[index]
    if (now === undefined || now.key !== key) return false
    if (!isText(sent) || !isText(now.part)) return true
    return now.part.text.startsWith(sent.text) && !(sent.state === 'done' && now.part.text !== sent.text)
  })
}

function idOf({ providerMetadata }: TextPart): string {
  return String(providerMetadata.beach.partId)
}

function textChunks(part: TextPart, sent?: TextPart): UiChunk[] {
  const { type, text, state, providerMetadata } = part
  const id = idOf(part)
  const delta = text.slice(sent?.text.length ?? 0)
  return [
    ...(sent === undefined ? [{ type: `${type}-start`, id, providerMetadata }] : []),
    ...(delta === '' ? [] : [{ type: `${type}-delta`, id, delta }]),
    ...(state === 'done' && sent?.state !== 'done' ? [{ type: `${type}-end`, id }] : []),
  ]
}

function endOfText({ part }: KeyedPart): UiChunk[] {
  return isText(part) && part.state === 'streaming' ? [{ type: `${part.type}-end`, id: idOf(part) }] : []
}

/** A part whole, as the protocol has it. */
function wholeChunks(part: UiPart): UiChunk[] {
  return isText(part) ? textChunks(part) : [{ ...part }]
}

function callChunks(part: ToolPart): UiChunk[] {
  const { toolCallId, toolName, title, input, providerExecuted } = part
  const about = {
    toolCallId,
    toolName,
    dynamic: true,
    ...defined({ title }),
    ...(providerExecuted && { providerExecuted }),
  }
  return [
    { type: 'tool-input-start', ...about },
    { type: 'tool-input-available', ...about, input },
    ...requestChunks(part),
    ...decisionChunks(part),
    ...outcomeChunks(part),
  ]
}

function requestChunks({ toolCallId, approval }: ToolPart): UiChunk[] {
  if (approval === undefined) return []
  const { id: approvalId, descriptor: approvalDescriptor } = approval
  return [{ type: 'tool-approval-request', approvalId, toolCallId, ...defined({ approvalDescriptor }) }]
}

function decisionChunks({ approval }: ToolPart): UiChunk[] {
  if (approval?.approved === undefined) return []
  const { id: approvalId, approved, reason } = approval
  return [{ type: 'tool-approval-response', approvalId, approved, ...defined({ reason }) }]
}

function outcomeChunks({ toolCallId, outcome, providerExecuted }: ToolPart): UiChunk[] {
  const by = { toolCallId, dynamic: true, ...(providerExecuted && { providerExecuted }) }
  switch (outcome?.kind) {
    case 'output':
      return [{ type: 'tool-output-available', ...by, output: outcome.output }]
    case 'error':
      return [{ type: 'tool-output-error', ...by, errorText: outcome.errorText }]
    case 'denied':
      return [{ type: 'tool-output-denied', toolCallId }]
    case undefined:
      return []
  }
}
