import type { ApprovalRequest } from './approval.ts'

const longest = 1_000

/** The request in words, with the token that a reply by mail or message must contain. */
export function approvalText(request: ApprovalRequest): string {
  const args = JSON.stringify(request.args, undefined, 2)
  const shown = args.length > longest ? `${args.slice(0, longest)}…` : args
  const until = request.expiresAt === undefined ? '' : ` It is denied by itself after ${request.expiresAt}.`
  return `Approval needed: ${request.toolName}\n${shown}\nReply "yes" or "no".${until}\n[approval:${request.approvalId}]`
}
