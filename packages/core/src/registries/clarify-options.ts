import type { Part } from '../part.ts'
import type { Choice, PartForm } from './choices.ts'

const maxOptions = 10
const maxOptionLength = 80

/** The answers that a question offers, in `metadata.options`; the user may still say something else. */
export function clarifyOptions({ metadata }: Part): readonly string[] {
  const { options } = metadata
  return Array.isArray(options) ? options.filter((option) => typeof option === 'string') : []
}

/** What is wrong with the answers that a question offers. */
export function optionProblems({ metadata }: Part): string[] {
  const { options } = metadata
  if (options === undefined) return []
  const isRight = Array.isArray(options) && options.length > 0 && options.length <= maxOptions
  if (isRight && options.every((option) => isOption(option)) && new Set(options).size === options.length) return []
  return [
    `metadata.options of a question are 1 to ${maxOptions} different texts of at most ${maxOptionLength} characters.`,
  ]
}

/** The question, and what may be answered, for text-only channels; numbered where a number is an answer. */
export function clarifyText(part: Part, form?: PartForm): string | undefined {
  const options = clarifyOptions(part)
  if (part.text === undefined || options.length === 0) return part.text
  if (form === undefined) return `${part.text}\n(${options.join(' / ')})`
  return [part.text, ...options.map((option, index) => `${form.firstNumber + index}. ${option}`)].join('\n')
}

export function clarifyChoices(part: Part): readonly Choice[] {
  return clarifyOptions(part).map((text) => ({ kind: 'answer', text }))
}

function isOption(option: unknown): boolean {
  return typeof option === 'string' && option.trim() !== '' && option.length <= maxOptionLength
}
