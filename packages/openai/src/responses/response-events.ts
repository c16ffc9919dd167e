import type { AnswerChange, WrittenItem } from '../answers/answer-writer.ts'
import { annotationOf, contentPart, itemId, outputItem, summaryPart, type Json } from './response-object.ts'

/**
 * The events of a response, with their sequence numbers. A delta takes as many numbers as it has characters, so the numbers of
 * a response are the same however its text arrives: after a number any process can go on, also in the middle of a text.
 */
export class ResponseEvents {
  readonly #after: number
  #number = -1

  /** `after` is the number of the last event that the client has. */
  constructor(after = -1) {
    this.#after = after
  }

  /** An event of its own. */
  event(type: string, members: Json): Json[] {
    this.#number += 1
    return this.#number > this.#after ? [{ type: `response.${type}`, sequence_number: this.#number, ...members }] : []
  }

  /** What is new of an answer, as events. */
  of(change: AnswerChange): Json[] {
    const { written } = change
    switch (change.kind) {
      case 'begin':
        return this.#begin(written)
      case 'text':
        return this.#text(written, change.delta)
      case 'source': {
        const members = {
          annotation_index: change.number,
          annotation: annotationOf(change.source, textOf(written).length),
        }
        return this.event('output_text.annotation.added', { ...contentAt(written), ...members })
      }
      case 'end':
        return this.#end(written)
    }
  }

  #begin(written: WrittenItem): Json[] {
    const added = this.event('output_item.added', { output_index: written.index, item: outputItem(written, true) })
    switch (written.item.kind) {
      case 'call':
        return added
      case 'reasoning':
        return [
          ...added,
          ...this.event('reasoning_summary_part.added', { ...summaryAt(written), part: summaryPart('') }),
        ]
      default:
        return [...added, ...this.event('content_part.added', { ...contentAt(written), part: contentPart(written) })]
    }
  }

  #text(written: WrittenItem, delta: string): Json[] {
    switch (written.item.kind) {
      case 'reasoning':
        return this.#delta('reasoning_summary_text.delta', delta, summaryAt(written))
      case 'refusal':
        return this.#delta('refusal.delta', delta, contentAt(written))
      default:
        return this.#delta('output_text.delta', delta, { ...contentAt(written), logprobs: [] })
    }
  }

  #end(written: WrittenItem): Json[] {
    const { item } = written
    const done = () => this.event('output_item.done', { output_index: written.index, item: outputItem(written) })
    switch (item.kind) {
      case 'call': {
        const at = itemAt(written)
        const { name, arguments: args } = item
        const whole = this.#delta('function_call_arguments.delta', args, at)
        return [...whole, ...this.event('function_call_arguments.done', { ...at, name, arguments: args }), ...done()]
      }
      case 'reasoning': {
        const at = summaryAt(written)
        const said = this.event('reasoning_summary_text.done', { ...at, text: item.text })
        return [
          ...said,
          ...this.event('reasoning_summary_part.done', { ...at, part: summaryPart(item.text) }),
          ...done(),
        ]
      }
      default: {
        const at = contentAt(written)
        const said =
          item.kind === 'refusal'
            ? this.event('refusal.done', { ...at, refusal: item.text })
            : this.event('output_text.done', { ...at, text: item.text, logprobs: [] })
        return [...said, ...this.event('content_part.done', { ...at, part: contentPart(written) }), ...done()]
      }
    }
  }

  #delta(type: string, text: string, members: Json): Json[] {
    const known = Math.max(0, this.#after - this.#number)
    this.#number += text.length
    const delta = text.slice(known)
    if (delta === '') return []
    return [{ type: `response.${type}`, sequence_number: this.#number, ...members, delta }]
  }
}

function textOf({ item }: WrittenItem): string {
  return item.kind === 'call' ? '' : item.text
}

function itemAt(written: WrittenItem): Json {
  return { item_id: itemId(written), output_index: written.index }
}

function contentAt(written: WrittenItem): Json {
  return { ...itemAt(written), content_index: 0 }
}

function summaryAt(written: WrittenItem): Json {
  return { ...itemAt(written), summary_index: 0 }
}
