import type { Connection } from '@cool-ai/beach-client'

const words: Readonly<Record<Connection['state'], string>> = {
  connecting: 'Connecting…',
  open: 'Connected',
  waiting: 'Reconnecting…',
  offline: 'Offline',
  closed: 'Not connected',
}

/** A dot and a word: whether what is said here gets through right now. */
export function ConnectionState({ connection: { state, error } }: { readonly connection: Connection }) {
  const kind = state === 'open' ? ' online' : state === 'offline' || state === 'closed' ? ' offline' : ''
  return (
    <p id="connection" class={`connection${kind}`}>
      <span>{state === 'connecting' && error !== undefined ? words.waiting : words[state]}</span>
    </p>
  )
}
