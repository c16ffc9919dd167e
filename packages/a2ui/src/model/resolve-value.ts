import { isPlainObject, own } from '../plain.ts'
import { absolutePath } from '../pointer.ts'
import { valueAt } from './data-model.ts'
import { parseTemplate } from './expression.ts'
import { formatDate } from './format-date.ts'

export interface Scope {
  readonly data: unknown
  /** The path of the item that relative paths begin at. */
  readonly base: string
  readonly locale: string
}

const maxCallDepth = 8
const maxTextLength = 20_000

/** What a value of a component comes to: itself, what stands at its path, or what its function returns. */
export function resolveValue(value: unknown, scope: Scope, depth = 0): unknown {
  if (Array.isArray(value)) return depth < maxCallDepth ? value.map((item) => resolveValue(item, scope, depth + 1)) : []
  if (!isPlainObject(value)) return value
  const path = own(value, 'path')
  // Data is data: nothing in it is resolved any further.
  if (typeof path === 'string') return valueAt(scope.data, absolutePath(path, scope.base))
  const call = own(value, 'call')
  if (typeof call !== 'string') return value
  if (depth >= maxCallDepth) return undefined
  const args = own(value, 'args')
  const given = isPlainObject(args) ? args : {}
  const run = Object.hasOwn(functions, call) ? functions[call] : ofAnotherCatalog
  return run?.((name) => resolveValue(own(given, name), scope, depth + 1), scope, depth)
}

/** A value as a text, by A2UI's rules of conversion. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : jsonOf(value)
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    // Too deep, or in circles: neither comes from JSON.
    return ''
  }
}

type Run = (argument: (name: string) => unknown, scope: Scope, depth: number) => unknown

/** What such a function makes of its value only the page knows; the value is better than nothing. */
const ofAnotherCatalog: Run = (argument) => argument('value')

const functions: Readonly<Record<string, Run>> = {
  required: (argument) => isThere(argument('value')),
  // A stranger's pattern could keep us busy for ever, and no text form depends on whether it matches.
  regex: () => undefined,
  length: (argument) => {
    const value = argument('value')
    return inRange(typeof value === 'string' || Array.isArray(value) ? value.length : 0, argument)
  },
  numeric: (argument) => inRange(numberOf(argument('value')), argument),
  email: (argument) => {
    const [name = '', host = '', more] = textOf(argument('value')).split('@')
    return more === undefined && name !== '' && /^[^.\s]+(?:\.[^.\s]+)+$/.test(host)
  },
  formatString: (argument, scope, depth) => filledIn(textOf(argument('value')), scope, depth),
  formatNumber: (argument, { locale }) => numberText(argument, locale, {}),
  formatCurrency: (argument, { locale }) =>
    numberText(argument, locale, { style: 'currency', currency: textOf(argument('currency')) }),
  formatDate: (argument, { locale }) => formatDate(argument('value'), textOf(argument('format')), locale),
  pluralize: (argument, { locale }) => {
    const rule = new Intl.PluralRules(locale).select(numberOf(argument('value')))
    return argument(rule) ?? argument('other')
  },
  openUrl: () => undefined,
  and: (argument) => truths(argument('values')).every(Boolean),
  or: (argument) => truths(argument('values')).some(Boolean),
  not: (argument) => !argument('value'),
}

function filledIn(template: string, scope: Scope, depth: number): string {
  try {
    let text = ''
    for (const piece of parseTemplate(template)) {
      text += textOf(resolveValue(piece, scope, depth + 1))
      if (text.length > maxTextLength) return textOf(text)
    }
    return text
  } catch (error) {
    if (error instanceof SyntaxError) return template
    throw error
  }
}

/** A number, also when it is written as a text; NaN for all else. */
function numberOf(value: unknown): number {
  return typeof value === 'number' || (typeof value === 'string' && value !== '') ? Number(value) : Number.NaN
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)
}

function inRange(value: number, argument: (name: string) => unknown): boolean {
  const [min, max] = [numberOf(argument('min')), numberOf(argument('max'))]
  return !Number.isNaN(value) && !(value < min) && !(value > max)
}

function numberText(argument: (name: string) => unknown, locale: string, style: Intl.NumberFormatOptions): string {
  const number = numberOf(argument('value'))
  if (Number.isNaN(number)) return ''
  const decimals = argument('decimals')
  const digits =
    typeof decimals === 'number' ? { minimumFractionDigits: decimals, maximumFractionDigits: decimals } : {}
  const useGrouping = argument('grouping') !== false
  try {
    return new Intl.NumberFormat(locale, { ...style, ...digits, useGrouping }).format(number)
  } catch {
    // A currency or a number of digits that there is not.
    return [String(number), style.currency].filter(Boolean).join(' ')
  }
}

function truths(values: unknown): readonly unknown[] {
  return Array.isArray(values) ? values : []
}
