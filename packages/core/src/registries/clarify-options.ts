import type { Part } from '../part.ts'

const mostOptions = 10
const longestOption = 80

/** The answers that a question offers, in `metadata.options`; whoever is asked may still say something else. */
export function clarifyOptions({ metadata }: Part): readonly string[] {
  const { options } = metadata
  return Array.isArray(options) ? options.filter((option) => typeof option === 'string') : []
}

/** What is wrong with the answers that a question offers. */
export function optionProblems({ metadata }: Part): string[] {
  const { options } = metadata
  if (options === undefined) return []
  const isRight = Array.isArray(options) && options.length > 0 && options.length <= mostOptions
  if (isRight && options.every((option) => isOption(option)) && new Set(options).size === options.length) return []
  return [
    `metadata.options of a question are 1 to ${mostOptions} different texts of at most ${longestOption} characters.`,
  ]
}

/** The question, and what may be answered, for those who can be shown nothing but text. */
export function clarifyText(part: Part): string | undefined {
  const options = clarifyOptions(part)
  return part.text === undefined || options.length === 0 ? part.text : `${part.text}\n(${options.join(' / ')})`
}

function isOption(option: unknown): boolean {
  return typeof option === 'string' && option.trim() !== '' && option.length <= longestOption
}
