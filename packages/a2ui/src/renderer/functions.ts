import {
  A2uiExpressionError,
  BASIC_FUNCTIONS,
  createFunctionImplementation,
  OpenUrlApi,
  RegexApi,
  type FunctionImplementation,
} from '@a2ui/web_core/v0_9'
import { maxCheckedLength } from '../plain.ts'
import { surfacePattern } from '../surface-pattern.ts'
import { safeLink } from './safe-url.ts'
import { servicesOf } from './surface-services.ts'

/** Opens an address, but only when the user has clicked: a text that merely calls this while it is shown opens nothing. */
const openUrl = createFunctionImplementation(OpenUrlApi, ({ url }, context) => {
  const surface = servicesOf(context.dataModel)
  if (!surface.acting) throw new A2uiExpressionError('openUrl runs only as the action of a button.', 'openUrl')
  const link = safeLink(url)
  if (link === undefined) {
    throw new A2uiExpressionError(`openUrl opens only http, https and mailto addresses, not ${url}`, 'openUrl')
  }
  surface.openUrl(link)
})

/** A pattern that is refused does not block the user: the receiver of the form checks it again. */
const regex = createFunctionImplementation(RegexApi, ({ value, pattern }, context) => {
  const result = matches(pattern, value)
  if (typeof result === 'boolean') return result
  servicesOf(context.dataModel).report(result.problem)
  return true
})

const replaced = new Map<string, FunctionImplementation>([
  [openUrl.name, openUrl],
  [regex.name, regex],
])

/** The functions of the basic catalog; those that can do harm are our own. */
export const functions: FunctionImplementation[] = BASIC_FUNCTIONS.map((stock) => replaced.get(stock.name) ?? stock)

/** Matches a foreign pattern. One that is wrong, or that has no linear form, is refused. */
export function matches(pattern: string, value: string): boolean | { readonly problem: string } {
  const refused = (why: string) => ({ problem: `The pattern ${pattern.slice(0, 80)} was not checked: ${why}.` })
  if (value.length > maxCheckedLength) return refused('the text is too long')
  const linear = surfacePattern(pattern)
  return 'problem' in linear ? refused(`it ${linear.problem}`) : linear.test(value)
}
