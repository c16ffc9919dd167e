import type { Part } from '@cool-ai/beach-core'
import type { ApprovalRequest } from './approval.ts'
import { visibleJson, visibleText } from './visible-text.ts'

const maxValueLength = 2_000
const maxArguments = 50

/** What the approver should know besides the arguments; stands in the part's `metadata.notice`. */
export function approvalNotice({ metadata: { notice } }: Pick<Part, 'metadata'>): string | undefined {
  return typeof notice === 'string' && notice !== '' ? notice : undefined
}

/** The arguments of the call that waits, one line each, and what else there is to know, as the approver sees it. */
export function argumentLines({ args }: ApprovalRequest, notice?: string): string[] {
  const entries = Object.entries(args)
  const lines = entries
    .slice(0, maxArguments)
    .map(([name, value]) => `${visibleText(name)}: ${visibleJson(value, maxValueLength)}`)
  const more = entries.length - lines.length
  const besides = notice === undefined ? [] : notice.split('\n').slice(0, maxArguments).map(visibleText)
  return [...lines, ...(more > 0 ? [`… and ${more} more`] : []), ...besides]
}

/** The request in words: what would be run, with which arguments. */
export function approvalQuestion(request: ApprovalRequest, notice?: string): string {
  return [`Approval needed: ${visibleText(request.toolName)}`, ...argumentLines(request, notice)].join('\n')
}

/** The request in words, with the token that a reply by mail or message must contain. */
export function approvalText(request: ApprovalRequest, notice?: string): string {
  const until = request.expiresAt === undefined ? '' : ` It is denied by itself after ${request.expiresAt}.`
  const token = `[approval:${request.approvalId}]`
  return [approvalQuestion(request, notice), `Reply "yes" or "no".${until}`, token].join('\n')
}
