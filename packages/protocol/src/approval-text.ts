import type { AskedApproval, Fact } from './approval-words.ts'
import { momentText } from './moment-text.ts'

/** What an approver reads below the title: what was said of the request, every argument, and what else there is to know. */
export function approvalLines({ summary, details, arguments: given, notice }: AskedApproval): string[] {
  const lines = new Set(details.map(lineOf))
  const others = given.map(lineOf).filter((line) => !lines.has(line))
  return [...(summary === undefined ? [] : [summary]), ...lines, ...others, ...notice]
}

/** The request in words: what would be done, with which arguments. `label` is left empty where a heading says it. */
export function approvalQuestion(asked: AskedApproval, label = 'Approval needed: '): string {
  return [...followUpLines(asked), `${label}${asked.title}`, ...approvalLines(asked)].join('\n')
}

/** That a request still waits, for an approver who is asked again or instead of another. */
function followUpLines({ followUp }: AskedApproval): string[] {
  if (followUp === undefined) return []
  const since = momentText(followUp.since)
  return followUp.kind === 'reminder'
    ? [`Reminder: this has waited for a decision since ${since}.`]
    : [`You are asked because this has waited for a decision since ${since}.`]
}

/** The request in words, with the label that a reply by mail or message must contain. */
export function approvalText(asked: AskedApproval): string {
  const { approvalId } = asked.request
  const how = `Reply "yes" or "no".${expiryText(asked)}`
  return [approvalQuestion(asked), how, `[approval:${approvalId}]`].join('\n')
}

/** That the request is denied when no decision comes, with a space before it; empty for a request that waits for ever. */
export function expiryText({ request: { expiresAt } }: AskedApproval): string {
  return expiresAt === undefined ? '' : ` Without an answer it is denied on ${momentText(expiresAt)}.`
}

function lineOf({ label, value }: Fact): string {
  return `${label}: ${value}`
}
