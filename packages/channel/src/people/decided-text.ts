import type { Frame } from '@cool-ai/beach-core'
import { momentText } from '@cool-ai/beach-protocol/approval-words'

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
  'ai-sdk': ' on a page',
  smtp: ' by mail',
  whatsapp: ' on WhatsApp',
  sms: ' by SMS',
  chat: ' in a work chat',
  a2a: ' by another agent',
  mcp: ' in another assistant',
  openai: ' in another application',
  webhook: ' by another system',
}

/** How, where and when a request was decided, as a sentence. */
export function decidedText({ outcome, via = '', at, args }: DecisionFrame): string {
  const isDecision = outcome === 'granted' || outcome === 'denied'
  const where = isDecision ? placeOf(via) : ''
  return `${outcomes[outcome]}${where}${args === undefined ? '' : ', with changes'}, ${momentText(at)}.`
}

const otherInbox = 'inbox:'

/** Of a decision that came by the inbox of another agent, the id of that agent follows. */
function placeOf(via: string): string {
  if (via.startsWith(otherInbox)) return ` in the inbox of ${via.slice(otherInbox.length)}`
  return (Object.hasOwn(channels, via) ? channels[via] : undefined) ?? ''
}
