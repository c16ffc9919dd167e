import type { Part } from '@cool-ai/beach-core'
import type { Amount } from '@cool-ai/beach-core/ports'
import { defined, inWords } from '@cool-ai/beach-core/runtime'
import type { ApprovalRequest } from './approval.ts'
import { isPlainObject } from './plain-value.ts'
import { visibleJson, visibleText } from './visible-text.ts'

export { expiryText } from './approval-text.ts'
export { momentText } from './moment-text.ts'

// Without Zod, since pages read requests too.

const risks = ['low', 'medium', 'high'] as const

/** What a request says of itself for people, in the part's `metadata.about`. */
export interface ApprovalAbout {
  readonly title: string
  readonly summary?: string
  readonly details?: Readonly<Record<string, string>>
  /** What people call the arguments, by their names. */
  readonly labels?: Readonly<Record<string, string>>
  readonly risk?: (typeof risks)[number]
  /** The JSON Schemas of the arguments that the approver may change, by their names. */
  readonly editable?: Readonly<Record<string, unknown>>
  readonly allowForSession?: true
  readonly amount?: Amount
  /** Messages of A2UI in place of the details. */
  readonly surface?: unknown
}

/** Something an approver reads, under its label. */
export interface Fact {
  readonly label: string
  /** One line, so that no value passes for another fact. */
  readonly value: string
  /** The value as the call has it, for readers that show it in a place of its own. */
  readonly given: unknown
}

/** An argument that an approver may change. */
export interface EditableArgument {
  readonly name: string
  readonly label: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly given: unknown
}

/** A request for an approval in words, of which the approver sees every character. */
export interface AskedApproval {
  readonly request: ApprovalRequest
  /** What would be done, as one sentence. */
  readonly title: string
  readonly summary?: string
  readonly details: readonly Fact[]
  /** Every argument of the call. */
  readonly arguments: readonly Fact[]
  /** What there is to know besides, line by line. */
  readonly notice: readonly string[]
  readonly risk?: NonNullable<ApprovalAbout['risk']>
  /** The arguments that the approver may change. */
  readonly editable: readonly EditableArgument[]
  /** True when the approver may allow the tool for the rest of the session. */
  readonly allowForSession: boolean
  /** What the call costs. */
  readonly amount?: Amount
  readonly surface?: unknown
  /** True when only an operator may decide. */
  readonly isAdmin: boolean
  /** Set when no decision has come: the same people are reminded, or another approver is asked. */
  readonly followUp?: FollowUp
}

interface FollowUp {
  readonly kind: 'reminder' | 'escalation'
  /** Which of the follow-ups it is: from 1. */
  readonly number: number
  /** When it was first asked: ISO 8601. */
  readonly since: string
}

const maxValueLength = 2_000
const maxFacts = 50

/** The request that a part makes; undefined for a part that makes none. */
export function askedApproval({ data, metadata }: Pick<Part, 'data' | 'metadata'>): AskedApproval | undefined {
  if (metadata.partType !== 'approval-request' || !isRequest(data)) return undefined
  const request = data
  const {
    title = titleOf(request.toolName),
    summary,
    details = {},
    labels = {},
    risk,
    editable = {},
    allowForSession = false,
    amount,
    surface,
  } = aboutOf(metadata)
  const { notice } = metadata
  return defined({
    request,
    title: visibleText(title),
    summary: summary === undefined ? undefined : visibleText(summary),
    details: factsOf(details),
    arguments: factsOf(request.args, labels),
    notice: typeof notice === 'string' ? notice.split('\n').slice(0, maxFacts).map(visibleText) : [],
    risk,
    editable: Object.entries(editable).flatMap(([name, schema]) => {
      const label = visibleText(labelOf(name, labels))
      return isPlainObject(schema) ? [{ name, label, schema, given: request.args[name] }] : []
    }),
    allowForSession,
    amount,
    surface,
    isAdmin: metadata.level === 'admin',
    followUp: followUpIn(metadata),
  })
}

/** The arguments that an approver has changed, as they run. */
export function changedFacts({ editable }: AskedApproval, args: Readonly<Record<string, unknown>>): Fact[] {
  return editable.flatMap(({ name, label }) => {
    return Object.hasOwn(args, name) ? [{ label, value: valueText(args[name]), given: args[name] }] : []
  })
}

/** A tool's name as people would write it; that of another agent's begins with who that is. */
function titleOf(toolName: string): string {
  const [peer, ...name] = toolName.split(': ')
  return name.length === 0 ? inWords(toolName) : `${peer}: ${inWords(name.join(': '))}`
}

function isRequest(data: unknown): data is ApprovalRequest {
  if (!isPlainObject(data) || !isPlainObject(data.args)) return false
  const { approvalId, toolName, toolCallId, handler, turn, session, expiresAt } = data
  const texts = [approvalId, toolName, toolCallId, handler, turn, session]
  return (
    texts.every((text) => typeof text === 'string') &&
    approvalId !== '' &&
    (expiresAt === undefined || isTime(expiresAt))
  )
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}

/** What is not as it should be is left out: a request can be read by the names of its call alone. */
function aboutOf({ about }: Part['metadata']): Partial<ApprovalAbout> {
  if (!isPlainObject(about)) return {}
  const { title, summary, details, labels, risk, editable, allowForSession, amount, surface } = about
  return defined({
    title: typeof title === 'string' && title !== '' ? title : undefined,
    summary: typeof summary === 'string' ? summary : undefined,
    details: textsIn(details),
    labels: textsIn(labels),
    risk: risks.find((known) => known === risk),
    editable: isPlainObject(editable) ? editable : undefined,
    allowForSession: allowForSession === true ? (true as const) : undefined,
    amount: isAmount(amount) ? amount : undefined,
    surface,
  })
}

function followUpIn({ followUp }: Part['metadata']): FollowUp | undefined {
  if (!isPlainObject(followUp) || !isTime(followUp.since)) return undefined
  const { number } = followUp
  return {
    kind: followUp.kind === 'escalation' ? 'escalation' : 'reminder',
    number: typeof number === 'number' && Number.isSafeInteger(number) ? number : 1,
    since: String(followUp.since),
  }
}

function isAmount(value: unknown): value is Amount {
  return isPlainObject(value) && Number.isFinite(value.value) && typeof value.currency === 'string'
}

/** How people write a currency: its sign, or its code where it has none. */
export function currencySign(currency: string): string {
  try {
    const format = new Intl.NumberFormat('en-GB', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
    return format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency
  } catch {
    // Not every text that names a currency is one of ISO 4217.
    return currency
  }
}

function textsIn(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!isPlainObject(value)) return undefined
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

function factsOf(values: Readonly<Record<string, unknown>>, labels?: Readonly<Record<string, string>>): Fact[] {
  const entries = Object.entries(values)
  const facts = entries.slice(0, maxFacts).map(([name, value]) => {
    const label = labels === undefined ? name : labelOf(name, labels)
    return { label: visibleText(label), value: valueText(value), given: value }
  })
  const more = entries.length - facts.length
  return more > 0 ? [...facts, { label: '…', value: `and ${more} more`, given: undefined }] : facts
}

function labelOf(name: string, labels: Readonly<Record<string, string>>): string {
  return (Object.hasOwn(labels, name) ? labels[name] : undefined) ?? inWords(name)
}

/** A value as people write it. What is longer than a person would read is counted. */
function valueText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value) && value.length > 0 && value.every(isPlain)) return cut(value.map(valueText).join(', '))
  return isPlain(value) ? cut(visibleText(String(value))) : visibleJson(value, maxValueLength)
}

function isPlain(value: unknown): value is string | number | boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'boolean'
}

function cut(text: string): string {
  const more = text.length - maxValueLength
  return more > 0 ? `${text.slice(0, maxValueLength)}… (${more} characters more)` : text
}
