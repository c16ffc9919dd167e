import type { SessionEvent } from '@cool-ai/beach-core/log'

/** What is wrong with manifests: each settles once, each slot has one result or is named as missing, no result is lost. */
export function manifestProblems(events: readonly SessionEvent[]): string[] {
  const problems: string[] = []
  for (const opened of events.filter((event) => event.type === 'manifestOpened')) {
    const { manifestId, turnId } = opened
    const filled = events.filter((event) => event.type === 'slotFilled' && event.manifestId === manifestId)
    const slots = filled.flatMap((event) => (event.type === 'slotFilled' ? [event.slot] : []))
    if (new Set(slots).size !== slots.length) problems.push(`a slot of ${manifestId} was filled twice`)
    const settled = events.filter((event) => event.type === 'manifestSettled' && event.manifestId === manifestId)
    const [end] = settled
    if (settled.length !== 1 || end?.type !== 'manifestSettled') {
      problems.push(`the manifest ${manifestId} was settled ${settled.length} times`)
      continue
    }
    const missing = opened.slots.map(({ slot }) => slot).filter((slot) => !slots.includes(slot))
    if (missing.join() !== end.missing.join())
      problems.push(`${manifestId} lacks ${missing.join()}, and says ${end.missing.join()}`)
    const over = events.findIndex((event) => event.type === 'turnSettled' && event.turnId === turnId)
    for (const event of filled) {
      if (event.type !== 'slotFilled' || (over !== -1 && events.indexOf(event) < over)) continue
      const id = `${manifestId}.${event.slot}`
      const taken = events.filter((other) => other.type === 'turnStarted' && other.messageIds.includes(id)).length
      if (taken !== 1) problems.push(`the result ${id} was taken by ${taken} turns`)
    }
  }
  return problems
}
