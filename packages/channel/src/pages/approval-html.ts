import type { Frame } from '@cool-ai/beach-core'
import { escapeHtml } from '@cool-ai/beach-core/runtime'
import { expiryText, type AskedApproval } from '@cool-ai/beach-protocol'
import { factsHtml } from './plain-page.ts'

/** A request for an approval below its title, as HTML: what was said of it, and every argument. */
export function approvalHtml(asked: AskedApproval): string {
  const { summary, details, arguments: given, notice, request } = asked
  const text = [`Requested by ${request.handler}.`, expiryText(asked).trim()].join(' ').trim()
  return [
    summary === undefined ? '' : `<p>${escapeHtml(summary)}</p>`,
    `<p class="minor">${escapeHtml(text)}</p>`,
    factsHtml(details),
    factsHtml(given),
    ...notice.map((line) => `<p>${escapeHtml(line)}</p>`),
  ].join('')
}

type DecisionFrame = Extract<Frame, { kind: 'decision' }>

const outcomes: Readonly<Record<DecisionFrame['outcome'], string>> = {
  granted: 'This was approved',
  denied: 'This was denied',
  expired: 'No decision was made in time, so this counts as denied',
  void: 'This is no longer asked: the call has changed since, or its turn is over',
}

const channels: Readonly<Record<string, string>> = {
  sse: ' on a page',
  websocket: ' on a page',
  agui: ' on a page',
  smtp: ' by mail',
  whatsapp: ' on WhatsApp',
  sms: ' by SMS',
  a2a: ' by another agent',
  mcp: ' in another assistant',
  webhook: ' by another system',
}

const moments = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** How, where and when a request was decided, as a sentence. */
export function decidedHtml({ outcome, via = '', at }: DecisionFrame): string {
  const where = outcome === 'granted' || outcome === 'denied' ? (channels[via] ?? '') : ''
  return `<p>${outcomes[outcome]}${where}, ${moments.format(new Date(at))} UTC.</p>`
}
