import { components } from './components.ts'
import { pathsOf, type Scope } from './scope.ts'
import { deleteSurface, surface, updateComponents, updateData } from './surface.ts'
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

interface Surfaces {
  readonly surface: typeof surface
  readonly updateData: typeof updateData
  readonly updateComponents: typeof updateComponents
  readonly deleteSurface: typeof deleteSurface
  /** Paths into data of a type: `const { path, each } = ui.pathsOf<Flights>()`. */
  readonly pathsOf: typeof pathsOf
  /** A path into data of which no type is known. */
  readonly bind: Scope<unknown>['path']
  /** Shows something once for each item of a list of which no type is known. */
  readonly each: Scope<unknown>['each']
}

const { path: bind, each } = pathsOf()

/**
 * Writes surfaces of A2UI's Basic Catalog in code: components stand inside one another, and `surface` makes the messages.
 *
 *     ui.surface({
 *       surfaceId: 'flights',
 *       data: { flights: [{ airline: 'BA', price: 187 }] },
 *       root: ({ each }) =>
 *         ui.list(each('/flights', ({ path }) => ui.row(ui.text(path('airline')), ui.text(path('price'))))),
 *     })
 */
export const ui: typeof components & typeof functions & Surfaces = {
  ...components,
  ...functions,
  surface,
  updateData,
  updateComponents,
  deleteSurface,
  pathsOf,
  bind,
  each,
}
