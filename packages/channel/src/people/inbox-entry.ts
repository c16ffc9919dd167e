/** Something that came in, as it stands in the store until it is dealt with. */
export interface InboxEntry<Item> {
  readonly id: string
  /** Whom it is from; what is of one lane is dealt with in its order. */
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
