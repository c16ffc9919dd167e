import type { Flow } from './flow.ts'

export interface OfferedEvent {
  readonly name: string
  readonly label: string
}

export function offeredEvents({ machine, events }: Flow, { state }: { readonly state: string }): OfferedEvent[] {
  return machine.events(state).flatMap((name) => {
    const event = Object.hasOwn(events, name) ? events[name] : undefined
    return event?.source === 'client' ? [{ name, label: event.label ?? nameInWords(name) }] : []
  })
}

/** Those of them that can be sent without saying anything more, and so by a word. */
export function bareEvents(flow: Flow, at: { readonly state: string }): OfferedEvent[] {
  return offeredEvents(flow, at).filter(({ name }) => {
    const { schema, local = false } = flow.events[name] ?? {}
    return !local && (schema === undefined || schema.safeParse({}).success)
  })
}

/** `selectedPaymentId` as people write it. */
export function nameInWords(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_.-]+/g, ' ')
    .trim()
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
