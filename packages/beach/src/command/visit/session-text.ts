import type { Principal, SessionView } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { transcriptOf } from '../../trial/transcript.ts'
import { plainLine, plainText } from '../plain-text.ts'
import { moment } from '../table.ts'
import { terminal } from '../terminal.ts'
import type { NewestEvents, ShownSession } from './agent-access.ts'

/** Prints a session for people: what is known of it, line by line, and the conversation. */
export function printSession(shown: ShownSession, { events, earlier }: NewestEvents): void {
  const view = 'head' in shown && 'originators' in shown ? shown : shown.view
  terminal.line(terminal.bold(plainLine(shown.sessionId)))
  for (const [name, value] of [...listed(shown), ...(view === undefined ? [] : facts(view))]) {
    terminal.line(`${name.padEnd(12)}${plainLine(value)}`)
  }
  terminal.line()
  if (earlier > 0) terminal.line(`… ${earlier} earlier events`)
  terminal.line(plainText(transcriptOf(events, (text) => text)).trimEnd())
}

type Fact = readonly [name: string, value: string]

function listed(shown: ShownSession): Fact[] {
  if (!('openedAt' in shown)) return []
  return [['opened', moment(shown.openedAt)], ...(shown.state === undefined ? [] : [['state', shown.state] as const])]
}

function facts(view: SessionView): Fact[] {
  const { owner, turn, waiting, coordinates, originators, inFlight, deadLetters, allowances } = view
  return [
    ['owner', owner === undefined ? 'erased' : ownerText(owner)],
    ...(turn === undefined ? [] : [['turn', `${turn.turnId} of ${turn.actor}: ${turn.turnState}`] as const]),
    ...(waiting === 0 ? [] : [['messages', `${waiting} waiting`] as const]),
    ...Object.entries(coordinates).map(([name, value]) => ['state', `${name}: ${value}`] as const),
    ...inFlight.map((one) => ['in flight', inFlightText(one)] as const),
    ...allowances.map(({ tool }) => ['allowed', tool] as const),
    ...originators.map((one) => ['originator', originatorText(one)] as const),
    ...deadLetters.map(({ deliveryId, originatorId, at }) => {
      return ['dead letter', `${deliveryId} to ${originatorId}, given up ${moment(at)}`] as const
    }),
  ]
}

const ownerText = (owner: Principal) => `${principalKey(owner)}, tenant ${owner.tenant}`

const inFlightText = ({ kind, id, name, since }: SessionView['inFlight'][number]) =>
  `${kind} ${name} (${id}) since ${moment(since)}`

function originatorText({ originatorId, deliveryClass, listens }: SessionView['originators'][number]): string {
  return `${originatorId}, ${deliveryClass}${listens ? ', listens' : ''}`
}
