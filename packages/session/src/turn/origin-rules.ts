import type { DataRule, ToolCall } from '@cool-ai/beach-core'
import { dataRuleAgainst, isForeign } from '@cool-ai/beach-core/ports'
import { isNamed } from './recipients.ts'

/** What is known of the content of a turn when one of its calls is about to run. */
export interface TurnOrigins {
  /** The origins of all that it has seen. */
  readonly origins: readonly string[]
  readonly dataRules: readonly DataRule[]
  /** What the trusted side has written. */
  readonly trustedTexts: () => Promise<readonly string[]>
}

/** What the origins of a turn's content mean for a call: it is refused, or an approver is asked and told why. */
export type OriginRuling = { readonly denied: string } | { readonly asked: string }

const maxNamed = 3

/** Rules on a call by where the content of its turn is from; undefined when nothing stands against it. */
export async function originRuling(call: ToolCall, turn: TurnOrigins): Promise<OriginRuling | undefined> {
  const { name, sendsTo, requiresApproval, recipients = [] } = call
  const foreign = turn.origins.filter(isForeign)
  const found = dataRuleAgainst(turn.dataRules, turn.origins, [name, ...(sendsTo === undefined ? [] : [sendsTo])])
  const to = sendsTo === found?.rule.to || found === undefined ? sendsTo : found.rule.to
  if (found !== undefined && 'deny' in found.rule) {
    return { denied: `A rule of this agent forbids ${originInWords(found.origin)} to go to ${to ?? name}.` }
  }
  const strangers = foreign.length === 0 ? [] : await unnamed(recipients, turn)
  if (strangers.length > 0) {
    const who = strangers.slice(0, maxNamed).join(', ')
    return { asked: `${because(foreign)} and no trusted side has named this recipient: ${who}` }
  }
  if (found !== undefined) {
    return { asked: `${because([found.origin])} and a rule has such content approved before it goes to ${to ?? name}.` }
  }
  return requiresApproval === 'tainted' && foreign.length > 0 ? { asked: `${because(foreign, '')}.` } : undefined
}

async function unnamed(recipients: readonly string[], turn: TurnOrigins): Promise<readonly string[]> {
  if (recipients.length === 0) return []
  const texts = await turn.trustedTexts()
  return recipients.filter((recipient) => !isNamed(recipient, texts))
}

function because(origins: readonly string[], end = ','): string {
  const words = [...new Set(origins.map(originInWords))]
  const named = words.slice(0, maxNamed).join(', ')
  const others = words.length > maxNamed ? ` and ${words.length - maxNamed} more` : ''
  return `You are asked because ${named}${others} ${words.length > 1 ? 'are' : 'is'} part of this turn${end}`
}

/** An origin as people are told of it. */
export function originInWords(origin: string): string {
  const at = origin.indexOf(':')
  const kind = at === -1 ? origin : origin.slice(0, at)
  const name = at === -1 ? '' : origin.slice(at + 1)
  switch (kind) {
    case 'peer':
      return `what the agent ${name} says`
    case 'mcp':
      return `what the server ${name} says`
    case 'others':
      return name === 'quoted' || name === 'forwarded' ? `${name} text` : 'text that a message passes on'
    case 'web':
      return name === '' ? 'text from the web' : `text from ${name}`
    case 'client-tool':
      return `a result of the application’s tool ${name}`
    case 'client-state':
      return 'the state of the application'
    case 'more':
      return 'text of many origins'
    default:
      return `text from ${origin}`
  }
}
