import { BeachError, type DataRule, type Envelope } from '@cool-ai/beach-core'
import { sliceState, type SessionState } from '@cool-ai/beach-core/log'
import { dataRuleAgainst } from '@cool-ai/beach-core/ports'
import { originInWords } from '../turn/origin-rules.ts'
import { turnSlice } from '../turn/turn-slice.ts'

/** The channels that rules can name as a destination, by their transports: those that only send. */
const channels: Readonly<Record<string, string>> = {
  smtp: 'email',
  sms: 'sms',
  whatsapp: 'whatsapp',
  webhook: 'webhook',
}

/** Checks the rules of an agent: a rule that means nothing would protect nothing. */
export function checkedDataRules(rules: readonly DataRule[] = []): readonly DataRule[] {
  for (const rule of rules) {
    const { from, to, deny, approval } = Object(rule) as Partial<Record<'from' | 'to' | 'deny' | 'approval', unknown>>
    const isNamed = [from, to].every((name) => typeof name === 'string' && name !== '')
    const shown = JSON.stringify(rule)
    if (!isNamed || (deny === true) === (approval === true)) {
      throw wrong(`The data rule ${shown} needs \`from\`, \`to\`, and either \`deny: true\` or \`approval: true\`.`)
    }
    if (from === 'user') {
      throw wrong(
        `The data rule ${shown} is about what users write, which is in every turn. Leave the tool out instead.`,
      )
    }
    if (approval === true && Object.values(channels).includes(String(to))) {
      throw wrong(
        `The data rule ${shown} cannot ask for an approval: answers by ${String(to)} wait for none. Use \`deny: true\`.`,
      )
    }
  }
  return rules
}

/**
 * What goes out by a channel, by the rules on the content of its turn: where one forbids it, a sentence that says so takes
 * the place of the parts. Of a turn that is too long ago nothing is known: every rule on the channel applies.
 */
export function withheld(
  envelope: Envelope,
  transport: string,
  {
    rules,
    state,
    turnId,
  }: { readonly rules: readonly DataRule[]; readonly state: SessionState; readonly turnId: string },
): Envelope {
  const channel = Object.hasOwn(channels, transport) ? channels[transport] : undefined
  if (channel === undefined || !rules.some(({ to }) => to === channel)) return envelope
  const { turn, recent } = sliceState(turnSlice, state)
  const known = turn?.turnId === turnId ? turn : recent.find((one) => one.turnId === turnId)
  const found = dataRuleAgainst(rules, known === undefined ? ['more'] : (known.origins ?? []), [channel])
  if (found === undefined) return envelope
  const text = `There is an answer, but it has ${originInWords(found.origin)}, which may not be sent by ${channel}. Read it on the agent’s page.`
  return { ...envelope, parts: [{ text, metadata: { partType: 'response' } }] }
}

function wrong(message: string): BeachError {
  return new BeachError('INVALID_CONFIGURATION', message)
}
