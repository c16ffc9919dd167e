import type { ApprovalRequest } from './approval.ts'
import { visibleJson, visibleText } from './visible-text.ts'

const longestValue = 2_000
const mostArguments = 50

/** The arguments of the call that waits, one line each, as they are shown to whoever decides. */
export function argumentLines({ args }: ApprovalRequest): string[] {
  const entries = Object.entries(args)
  const lines = entries
    .slice(0, mostArguments)
    .map(([name, value]) => `${visibleText(name)}: ${visibleJson(value, longestValue)}`)
  const more = entries.length - lines.length
  return more > 0 ? [...lines, `… and ${more} more`] : lines
}

/** The request in words: what would be run, with which arguments. */
export function approvalQuestion(request: ApprovalRequest): string {
  return [`Approval needed: ${visibleText(request.toolName)}`, ...argumentLines(request)].join('\n')
}

/** The request in words, with the token that a reply by mail or message must contain. */
export function approvalText(request: ApprovalRequest): string {
  const until = request.expiresAt === undefined ? '' : ` It is denied by itself after ${request.expiresAt}.`
  return [approvalQuestion(request), `Reply "yes" or "no".${until}`, `[approval:${request.approvalId}]`].join('\n')
}
