import type { Correspondents, Known } from './correspondents.ts'
import type { Inbox } from './inbox.ts'
import type { PersonLog } from './person-log.ts'

interface Memory<Item> {
  readonly correspondents: Correspondents
  readonly people: PersonLog
  /** What has come in, once the channel runs, and from whom an item of it is. */
  readonly inbox?: Inbox<Item>
  readonly from: (item: Item) => Known
}

/** Forgets all that a channel to phones remembers of a person: what came in, the log, and by which addresses they are known. */
export async function forgetPerson<Item>(
  { correspondents, people, inbox, from }: Memory<Item>,
  known: Known,
): Promise<void> {
  const person = await correspondents.find(known)
  await inbox?.forget(async (item) => (await correspondents.find(from(item))) === person)
  await people.forget(person)
  await correspondents.forget(person)
}
