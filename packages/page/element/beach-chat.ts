// `<beach-chat>` for any page, by one script tag. This file keeps its name; what it loads has a hash in its name, and is kept
// by browsers. On a server there are no elements, and nothing is loaded.
if ('customElements' in globalThis) {
  import('./define.ts').catch((error: unknown) => console.error('<beach-chat>: its code cannot be loaded.', error))
}
