import { BeachError } from '@cool-ai/beach-core'
import { isSupportedCountry, parsePhoneNumberFromString, type NumberType } from 'libphonenumber-js/max'

/** Which numbers are texted. */
export interface NumberRules {
  /** Countries whose numbers are texted, such as `['DE', 'AT']`; `all` for every one. */
  readonly countries?: readonly string[] | 'all' | undefined
  /** Decides for a number, such as `+491700000000`, in place of all other rules. */
  readonly mayText?: ((phone: string) => boolean) | undefined
}

/** Why a number is not texted; undefined when it is. */
export type NumberCheck = (phone: string) => string | undefined

/** Kinds of numbers that cost their caller, or belong to no person's phone. */
const refusedTypes: ReadonlySet<NumberType> = new Set([
  'PREMIUM_RATE',
  'SHARED_COST',
  'UAN',
  'PAGER',
  'VOICEMAIL',
  'PERSONAL_NUMBER',
  'TOLL_FREE',
] as const)

/**
 * Checks numbers before they are answered or written to: an owner who is paid for what a number receives would make the
 * agent write to it. Refused are premium, shared-cost, satellite and other numbers without a country, short codes and
 * names, numbers that their country has not assigned, and those of other countries than the given ones.
 */
export function numberCheck({ countries, mayText }: NumberRules, defaults: readonly string[]): NumberCheck {
  if (countries === undefined && mayText === undefined && defaults.length === 0) {
    throw new BeachError(
      'INVALID_CONFIGURATION',
      "The agent's own numbers are of no country, so it is not known whose numbers may be texted. Give `countries`, such as ['DE', 'AT'] or 'all', `numbers`, or `mayText`.",
    )
  }
  const allowed = countries === 'all' ? undefined : (countries ?? defaults)
  for (const country of allowed ?? []) {
    if (!isSupportedCountry(country)) {
      throw new BeachError('INVALID_CONFIGURATION', `'${country}' is not a country such as 'DE' or 'US'.`)
    }
  }
  return (phone) => {
    if (mayText !== undefined) return mayText(phone) ? undefined : 'This number is not to be written to.'
    if (!/^\+\d{5,20}$/.test(phone)) return 'Only numbers with their country code are written to, no short codes.'
    const number = parsePhoneNumberFromString(phone)
    if (number === undefined || !number.isValid()) return 'This number is not assigned by any country.'
    const { country } = number
    if (country === undefined) return 'This number is of no country, such as one of a satellite network.'
    const type = number.getType()
    if (type !== undefined && refusedTypes.has(type)) return `Numbers of the kind ${type} get no messages.`
    if (allowed === undefined || allowed.includes(country)) return undefined
    return `Numbers of ${country} are not written to. Add it to \`countries\` if they should be.`
  }
}

/** The countries of numbers, as far as they tell. */
export function countriesOf(phones: readonly string[]): string[] {
  return phones.flatMap((phone) => parsePhoneNumberFromString(phone)?.country ?? [])
}
