import { BeachError } from '@cool-ai/beach-core'
import { plainLine } from './plain-text.ts'

/** Parses the number of an option, from 1 on; what it is not given is left out. */
export function wholeNumber(option: string, text: string | undefined, max = 1_000): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= max) return number
  throw new BeachError('BAD_REQUEST', `${option} is a whole number from 1 to ${max}, not '${plainLine(text)}'.`)
}
