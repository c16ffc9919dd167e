import type { Part } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'

/**
 * A session's log as text for people: who said what, which tools were called with what, what was asked, decided and
 * answered. Unless `shown` says otherwise, ids are numbered in the order in which they appear, and times left out, so that
 * the same conversation has the same text.
 */
export function transcriptOf(events: readonly SessionEvent[], shown = steadyText()): string {
  const names = new Map<string, string>()
  const lines: string[] = []
  let speaker = ''
  for (const event of events) {
    for (const { by, line } of said(event, names)) {
      if (by !== undefined && by !== speaker) {
        lines.push(...(lines.length > 0 ? [''] : []), by)
        speaker = by
      }
      lines.push(
        `  ${shown(line)
          .replaceAll('\n', '\n  ')
          .replaceAll(/[^\S\n]+$/gm, '')}`,
      )
    }
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

interface Said {
  /** Who says it, where that may have changed. */
  readonly by?: string
  readonly line: string
}

/** What an event is in the text; `names` has what parts of the log are called by their ids. */
function said(event: SessionEvent, names: Map<string, string>): readonly Said[] {
  switch (event.type) {
    case 'messageReceived': {
      const { from, parts = [] } = event.payload ?? {}
      return parts.map((part) => ({ by: from?.principal.id ?? 'erased', line: partText(part, 'message') }))
    }
    case 'turnStarted':
      names.set(event.turnId, event.actor)
      return []
    case 'partReceived':
      return partSaid(event, names)
    case 'turnStateChanged':
      if (event.passTo !== undefined) {
        const line = `passes to ${event.passTo}`
        const by = nameOf(names, event.turnId)
        names.set(event.turnId, event.passTo)
        return [{ by, line }]
      }
      return event.turnState === 'suspended' ? [{ by: nameOf(names, event.turnId), line: '= suspended' }] : []
    case 'toolStarted':
      names.set(event.callId, event.name)
      return [{ by: nameOf(names, event.turnId), line: `calls ${event.name} ${json(event.payload?.args)}` }]
    case 'toolFinished': {
      const outcome =
        event.outcome === 'ok' ? 'returns' : event.outcome === 'failed' ? 'fails' : 'has an unknown outcome'
      const line = `${nameOf(names, event.callId)} ${outcome}: ${json(event.payload?.value)}`
      return [{ by: nameOf(names, event.turnId), line }]
    }
    case 'slotFilled': {
      const { part, reason } = event.payload ?? {}
      return [{ line: `${event.name}/${event.slot} brings: ${json(part?.data ?? part?.text ?? reason)}` }]
    }
    case 'slotSaid':
    case 'sliceEvent':
      return event.payload?.part === undefined ? [] : [{ line: partText(event.payload.part) }]
    case 'approvalDecided': {
      const { decidedBy = 'erased', reason, args } = event.payload ?? {}
      const changed = args === undefined ? '' : `, with ${json(args)}`
      const why = reason === undefined ? '' : `: ${reason}`
      return [{ by: deciderOf(decidedBy), line: `${event.decision}${changed}${why}` }]
    }
    case 'approvalVoided':
      return [{ line: 'the request does not count any more: the call has changed' }]
    case 'cancelRequested':
      return [{ by: event.payload?.by.id ?? 'erased', line: 'cancels' }]
    case 'stateChanged':
      return event.transitions.map(({ coordinate, to }) => ({ line: `${coordinate} becomes ${to}` }))
    case 'turnSettled':
      return [{ by: nameOf(names, event.turnId), line: `= ${event.turnState}${endOf(event)}` }]
    default:
      return []
  }
}

function partSaid(event: Extract<SessionEvent, { type: 'partReceived' }>, names: ReadonlyMap<string, string>) {
  const part = event.payload?.part
  const by = nameOf(names, event.turnId)
  // The surface that shows a request says nothing more than the request.
  if (event.approvalId !== undefined) return []
  if (event.partType !== 'approval-request') return [{ by, line: part === undefined ? 'erased' : partText(part) }]
  const { toolName, args } = Object(part?.data) as { readonly toolName?: unknown; readonly args?: unknown }
  return [{ by, line: `asks to call ${String(toolName)} ${json(args)}` }]
}

function nameOf(names: ReadonlyMap<string, string>, id: string): string {
  return names.get(id) ?? 'agent'
}

/** The id of the principal in a key such as `user~ann`; a policy has a name of its own. */
function deciderOf(decidedBy: string): string {
  return decodeURIComponent(decidedBy.split('~').at(-1) ?? decidedBy)
}

/** A way to end that no actor declares. */
function endOf({ turnState, finalizedBy }: Extract<SessionEvent, { type: 'turnSettled' }>): string {
  return finalizedBy === turnState ? '' : ` (${finalizedBy})`
}

function partText({ text, data, metadata }: Part, usual?: string): string {
  const { partType } = metadata
  const content = text ?? json(data)
  return partType === usual ? content : `${partType}: ${content}`
}

/** Keys in one order, so that a part that is made in another way reads the same. */
function json(value: unknown): string {
  const sorted = (_: string, inner: unknown): unknown => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  }
  return JSON.stringify(value, sorted) ?? 'nothing'
}

const ids = /\b([a-z][a-z0-9]*)_[a-z2-9]{24,28}\b/g
const times = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/g

/** Takes out of texts what differs from run to run. */
function steadyText(): (text: string) => string {
  const known = new Map<string, string>()
  const numbered = (id: string, prefix: string) => {
    const name =
      known.get(id) ?? `${prefix}_${[...known.values()].filter((one) => one.startsWith(`${prefix}_`)).length + 1}`
    known.set(id, name)
    return name
  }
  return (text) => text.replaceAll(ids, numbered).replaceAll(times, '<time>')
}
