import type { StreamPart } from '@cool-ai/beach-protocol/stream'

const maxOptions = 8
const maxOptionLength = 60
const name = String.raw`\p{Lu}[\p{L}\p{N}'’-]*(?: \p{Lu}[\p{L}\p{N}'’-]*){0,3}`
const choice = new RegExp(String.raw`(${name}(?:, ${name})*),? or (${name})\?\s*$`, 'u')

/** Ready answers to a question: those in its metadata, or the names that it offers, as in “Gatwick or Heathrow?”. */
export function quickReplies({ text = '', metadata }: StreamPart): readonly string[] {
  const declared = Array.isArray(metadata.options) ? metadata.options.filter(isOption) : []
  if (declared.length > 0) return [...new Set(declared)].slice(0, maxOptions)
  // Names stand at the end of a question; looking at all of a long text would only cost time.
  const [, first, last] = choice.exec(text.slice(-300)) ?? []
  return first === undefined || last === undefined ? [] : [...first.split(', '), last]
}

function isOption(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= maxOptionLength
}
