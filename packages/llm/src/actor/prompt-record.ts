import type { ModelMessage } from '../models/model.ts'

/** The messages of a prompt that the calls of the turn before did not have, as they are put on record. */
export interface PromptRecord {
  /** How many messages of the prompt come before these: an earlier record of the turn has them. */
  readonly from: number
  readonly messages: readonly unknown[]
  /** True when texts were shortened, or messages left out, to keep the record small. */
  readonly isCut: boolean
}

const maxText = 8_000
const maxCharacters = 60_000

/** A record of what is new in a prompt, small enough for the commit of a step. */
export function promptRecord(prompt: readonly ModelMessage[], from: number): PromptRecord {
  let isCut = false
  let left = maxCharacters
  const messages: unknown[] = []
  for (const message of prompt.slice(from)) {
    const text = JSON.stringify(message, (_, value: unknown) => {
      if (typeof value !== 'string' || value.length <= maxText) return value
      isCut = true
      return `${value.slice(0, maxText)}…`
    })
    if (text.length > left) return { from, messages, isCut: true }
    left -= text.length
    messages.push(JSON.parse(text))
  }
  return { from, messages, isCut }
}
