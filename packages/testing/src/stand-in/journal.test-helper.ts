import type { Journal } from './stand-in-server.ts'

/** A journal from which a process begins, and what it adds. */
export function journalOf<Entry>(past: readonly Entry[] = []): Journal<Entry> & { readonly added: Entry[] } {
  const added: Entry[] = []
  return { past, added, add: (entry) => void added.push(entry) }
}
