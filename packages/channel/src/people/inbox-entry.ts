/** A message that came in, as it is in the store until it is handled. */
export interface InboxEntry<Item> {
  readonly id: string
  /** Its sender; the messages of one lane are handled in their order. */
  readonly lane: string
  readonly at: number
  readonly item: Item
}

/** The name of a channel's inbox. */
export function inboxName(transport: string, tenant: string): string {
  return `${transport}:${encodeURIComponent(tenant)}`
}

export const waitingPrefix = 'inbox:'

/** Where an entry waits. */
export function waitingKey(name: string, id: string): string {
  return `${waitingPrefix}${name}:${id}`
}

export const parkedPrefix = 'inbox-dead:'

/** Where an entry is put aside. */
export function parkedKey(name: string, id: string): string {
  return `${parkedPrefix}${name}:${id}`
}
