import { isPlainObject, own } from '../plain.ts'
import { cleanText } from './clean-text.ts'

/** The address that an action opens; undefined for one that does something else. */
export function urlOf(action: unknown): string | undefined {
  const call = isPlainObject(action) ? own(action, 'functionCall') : undefined
  const args = isPlainObject(call) && own(call, 'call') === 'openUrl' ? own(call, 'args') : undefined
  const url = isPlainObject(args) ? own(args, 'url') : undefined
  return typeof url === 'string' ? cleanText(url) : undefined
}
