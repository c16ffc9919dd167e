/** What the user wants of Baxter, as far as a script understands it. */
export type Wish =
  | { readonly kind: 'ask'; readonly message: string; readonly keep: boolean }
  | { readonly kind: 'add'; readonly title: string; readonly date: string; readonly time?: string | undefined }
  | { readonly kind: 'remove'; readonly title: string }
  | { readonly kind: 'show'; readonly day?: string | undefined }
  | { readonly kind: 'unclear' }

const askTravel = /\bask (?:the )?(?:example ?)?(?:travel(?: agent)?|sally)\s+(?:for |about |to )?(.+)$/is
const keepIt =
  /[,;]?\s*(?:and )?(?:then )?(?:put|add|write) (?:them|it|that) (?:in|into|to|on) my (?:week|plan|calendar)\b/i
const add = /^(?:add|put|plan)\s+(.+?)\s+on\s+(\d{4}-\d{1,2}-\d{1,2})(?:\s+at\s+(\d[\w:]*))?/i
const remove = /^(?:remove|delete|cancel|drop)\s+(.+?)(?:\s+from my (?:week|plan|calendar))?[.!]?$/i

/** Reads a message for what is wanted. Not clever: a real model takes this place as soon as there is a key. */
export function understand(text: string): Wish {
  const asked = askTravel.exec(text)?.[1]
  if (asked !== undefined) {
    return { kind: 'ask', message: asked.replace(keepIt, '').trim(), keep: keepIt.test(asked) }
  }
  const [, title, date, time] = add.exec(text) ?? []
  if (title !== undefined && date !== undefined) {
    return { kind: 'add', title, date, time: time?.replace(/^\d:/, '0$&') }
  }
  const removed = remove.exec(text)?.[1]
  if (removed !== undefined) return { kind: 'remove', title: removed }
  if (/\b(?:week|plan|calendar|planned)\b/i.test(text)) {
    const day = /\d{4}-\d{2}-\d{2}/.exec(text)?.[0]
    return { kind: 'show', day }
  }
  return { kind: 'unclear' }
}
