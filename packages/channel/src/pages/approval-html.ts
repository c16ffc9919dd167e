import { escapeHtml } from '@cool-ai/beach-core/runtime'
import { expiryText, type AskedApproval } from '@cool-ai/beach-protocol/approval-words'
import { changedFacts } from '@cool-ai/beach-protocol/approval-words'
import { decidedText, type DecisionFrame } from '../people/decided-text.ts'
import { factsHtml } from './plain-page.ts'

/** A request for an approval below its title, as HTML: what was said of it, and every argument; until when it waits, while it does. */
export function approvalHtml(asked: AskedApproval, isOpen = true): string {
  const { summary, details, arguments: given, notice, request } = asked
  const asker = `${request.handler.charAt(0).toUpperCase()}${request.handler.slice(1)}`
  const text = [`Requested by ${asker}.`, isOpen ? expiryText(asked).trim() : ''].join(' ').trim()
  return [
    summary === undefined ? '' : `<p>${escapeHtml(summary)}</p>`,
    `<p class="minor">${escapeHtml(text)}</p>`,
    factsHtml(details),
    factsHtml(given),
    ...notice.map((line) => `<p>${escapeHtml(line)}</p>`),
  ].join('')
}

/** How, where and when a request was decided. */
export function decidedHtml(decision: DecisionFrame): string {
  return `<p>${escapeHtml(decidedText(decision))}</p>`
}

/** What the approver has changed; nothing for a request that was decided as it was asked. */
export function changesHtml(asked: AskedApproval, { args }: DecisionFrame): string {
  const changed = args === undefined ? [] : changedFacts(asked, args)
  return changed.length === 0 ? '' : `<p class="minor">Changed before approving:</p>${factsHtml(changed)}`
}
