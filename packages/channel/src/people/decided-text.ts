import type { Frame } from '@cool-ai/beach-core'

/** How a request for an approval was closed. */
export type DecisionFrame = Extract<Frame, { kind: 'decision' }>

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
export function decidedText({ outcome, via = '', at }: DecisionFrame): string {
  const isDecision = outcome === 'granted' || outcome === 'denied'
  const where = isDecision && Object.hasOwn(channels, via) ? channels[via] : ''
  return `${outcomes[outcome]}${where}, ${moments.format(new Date(at))} UTC.`
}
