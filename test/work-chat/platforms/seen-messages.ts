import type { SeenMessage } from './work-chat.ts'

/** Messages of a stand-in as people see them, and the way back. */
export function seenMessages<Raw extends object>(shows: (raw: Raw) => SeenMessage) {
  const raws = new WeakMap<SeenMessage, Raw>()
  const seen = (raw: Raw): SeenMessage => {
    const made = shows(raw)
    raws.set(made, raw)
    return made
  }
  const found = (given: SeenMessage | undefined): Raw => {
    const raw = given && raws.get(given)
    if (raw === undefined) throw new Error('There is no such message.')
    return raw
  }
  return { seen, found }
}
