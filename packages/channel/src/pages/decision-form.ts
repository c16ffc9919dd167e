import { BeachError, type Decision } from '@cool-ai/beach-core'
import { defined, escapeHtml } from '@cool-ai/beach-core/runtime'
import { currencySign, type AskedApproval, type EditableArgument } from '@cool-ai/beach-protocol/approval-words'

/** As many characters as a reason may have. */
const maxReasonLength = 2_000

const maxFields = 20

type Fields = Readonly<Record<string, string>>

/** The fields of a form without scripts by which a request is decided, with its two buttons. */
export function decisionFieldsHtml({ editable, allowForSession, amount }: AskedApproval): string {
  const changes = editable.slice(0, maxFields).map(argumentHtml).join('')
  return [
    changes === '' ? '' : `<details><summary>Change before approving</summary>${changes}</details>`,
    allowForSession ? allowanceHtml(amount) : '',
    `<label>Reason (optional)<input name="reason" maxlength="${maxReasonLength}"></label>`,
    '<div class="choices"><button class="primary" name="decision" value="granted">Approve</button>',
    '<button name="decision" value="denied">Deny</button></div>',
  ].join('')
}

/**
 * The decision that such a form makes. Every argument that can be changed is in it, and with a denial none of them counts;
 * what is as it was before is no change to the agent.
 */
export function decisionIn(fields: Fields): Decision {
  const { decision, reason = '', allow, upTo, ...others } = fields
  if (decision !== 'granted' && decision !== 'denied') throw notOfTheForm()
  if (reason.length > maxReasonLength) throw new BeachError('BAD_REQUEST', 'The reason is too long.')
  const made = { decision, reason: reason.trim() || undefined } as const
  if (decision === 'denied') return defined(made)
  const args = Object.fromEntries(Object.entries(others).flatMap(([field, text]) => argumentIn(field, text)))
  const changed = Object.keys(args).length === 0 ? undefined : args
  return defined({ ...made, args: changed, allow: allow === undefined ? undefined : allowanceIn(upTo) })
}

/** Why a form was not taken, above it. */
export function problemHtml(message: string): string {
  return `<p class="problem" role="alert">Nothing is decided yet: ${escapeHtml(message)}</p>`
}

/** True for the name of a field that only some of these forms have. */
export function isDecisionField(name: string): boolean {
  return /^(?:decision|reason|allow|upTo|arg\..*)$/.test(name)
}

type FieldKind = 'json' | 'number' | 'text'

/** Where a call lacks the argument, an empty field leaves it out. */
function argumentHtml({ name, label, schema, given }: EditableArgument): string {
  const isMissing = given === undefined
  const field = (kind: FieldKind) => `name="${escapeHtml(`arg.${kind}${isMissing ? '?' : ''}.${name}`)}"`
  const { type, enum: choices = type === 'boolean' ? [true, false] : undefined } = schema
  const input = (() => {
    if (Array.isArray(choices)) {
      const options = isMissing ? [undefined, ...choices] : choices
      return `<select ${field('json')}>${options.map((choice) => optionHtml(choice, choice === given)).join('')}</select>`
    }
    const value = isMissing ? '' : `value="${escapeHtml(plain(given))}"`
    if (type === 'number' || type === 'integer')
      return `<input ${field('number')} type="number" step="${type === 'integer' ? 1 : 'any'}" ${value}>`
    return type === 'string' ? `<input ${field('text')} ${value}>` : undefined
  })()
  return input === undefined ? '' : `<label>${escapeHtml(label)}${input}</label>`
}

function optionHtml(choice: unknown, isSelected: boolean): string {
  const words = typeof choice === 'boolean' ? (choice ? 'yes' : 'no') : plain(choice)
  const value = choice === undefined ? '' : JSON.stringify(choice)
  return `<option value="${escapeHtml(value)}"${isSelected ? ' selected' : ''}>${escapeHtml(words)}</option>`
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function allowanceHtml(amount: AskedApproval['amount']): string {
  const sum =
    amount === undefined
      ? ''
      : `<label>Up to, in all (${escapeHtml(currencySign(amount.currency))})<input name="upTo" type="number" min="1" step="any" value="${Math.ceil(amount.value)}"></label>`
  return [
    '<details><summary>Allow this without asking again</summary>',
    '<label class="check"><input type="checkbox" name="allow" value="yes">For the rest of this conversation</label>',
    `${sum}</details>`,
  ].join('')
}

function argumentIn(field: string, text: string): readonly (readonly [string, unknown])[] {
  const [, kind, optional, name = ''] = /^arg\.(json|number|text)(\?)?\.(.+)$/s.exec(field) ?? []
  if (kind === undefined) throw notOfTheForm()
  if (optional !== undefined && text === '') return []
  if (kind === 'text') return [[name, text]]
  const value = kind === 'json' ? jsonIn(text) : Number(text)
  if (kind === 'number' && (text.trim() === '' || !Number.isFinite(value)))
    throw new BeachError('BAD_REQUEST', `'${text}' is not a number. Give a number for “${name}”.`)
  return [[name, value]]
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw notOfTheForm()
  }
}

function allowanceIn(upTo: string | undefined): NonNullable<Decision['allow']> {
  if (upTo === undefined) return {}
  const sum = Number(upTo)
  if (upTo.trim() !== '' && Number.isFinite(sum) && sum > 0) return { upTo: sum }
  throw new BeachError('BAD_REQUEST', `'${upTo}' is no sum. Say up to which sum it is allowed, such as 500.`)
}

function notOfTheForm(): BeachError {
  return new BeachError(
    'BAD_REQUEST',
    'Send the form of the page: `decision=granted` or `decision=denied`, and a `reason` if you like.',
  )
}
