import type { AnyValue, Binding, BooleanValue, FunctionCall, NumberValue, TextValue } from './values.ts'

interface NumberFormat {
  readonly decimals?: NumberValue
  readonly grouping?: BooleanValue
}

type Range = { readonly min: number; readonly max?: number } | { readonly min?: number; readonly max: number }

interface Plurals {
  readonly zero?: TextValue
  readonly one?: TextValue
  readonly two?: TextValue
  readonly few?: TextValue
  readonly many?: TextValue
  readonly other: TextValue
}

type Conditions = readonly [BooleanValue, BooleanValue, ...BooleanValue[]]

function call<const Returns extends string>(
  name: string,
  returnType: Returns,
  args: Readonly<Record<string, unknown>>,
): FunctionCall<Returns> {
  const given = Object.entries(args).filter(([, value]) => value !== undefined)
  return { call: name, args: Object.fromEntries(given), returnType }
}

/** The functions of the Basic Catalog. */
export const functions = {
  /** True when there is a value. */
  required: (value: AnyValue) => call('required', 'boolean', { value }),
  /** True when a text matches a regular expression. */
  regex: (value: TextValue, pattern: string | RegExp) =>
    call('regex', 'boolean', { value, pattern: typeof pattern === 'string' ? pattern : pattern.source }),
  /** True when a text, or a list, has a length within a range. */
  length: (value: TextValue | Binding<readonly unknown[]>, { min, max }: Range) =>
    call('length', 'boolean', { value, min, max }),
  /** True when a number lies within a range. */
  numeric: (value: NumberValue, { min, max }: Range) => call('numeric', 'boolean', { value, min, max }),
  /** True when a text looks like a mail address. */
  email: (value: TextValue) => call('email', 'boolean', { value }),
  /** A text with expressions in it, such as `Hello ${/name}`. */
  formatString: (value: TextValue) => call('formatString', 'string', { value }),
  formatNumber: (value: NumberValue, { decimals, grouping }: NumberFormat = {}) =>
    call('formatNumber', 'string', { value, decimals, grouping }),
  /** An amount in a currency by its code, such as `EUR`. */
  formatCurrency: (value: NumberValue, currency: TextValue, { decimals, grouping }: NumberFormat = {}) =>
    call('formatCurrency', 'string', { value, currency, decimals, grouping }),
  /** A date by a pattern of Unicode TR35, such as `EEE d MMM, HH:mm`. */
  formatDate: (value: AnyValue, format: TextValue) => call('formatDate', 'string', { value, format }),
  /** One of several texts, by how many there are. */
  pluralize: (value: NumberValue, plurals: Plurals) => call('pluralize', 'string', { value, ...plurals }),
  /** Opens an address; an action of a button. */
  openUrl: (url: string) => call('openUrl', 'void', { url }),
  and: (...values: Conditions) => call('and', 'boolean', { values }),
  or: (...values: Conditions) => call('or', 'boolean', { values }),
  not: (value: BooleanValue) => call('not', 'boolean', { value }),
}
