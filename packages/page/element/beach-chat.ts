export type { BeachChatElement } from '../src/beach-chat.ts'

// `<beach-chat>` for any page, by one script tag. This file keeps its name; what it loads has a hash in its name, and is kept
// by browsers. On a server there is no document, and nothing is loaded; elements may be there, as those that Lit brings.
if ('document' in globalThis) {
  import('./define.ts').catch((error: unknown) => console.error('<beach-chat>: its code cannot be loaded.', error))
}
