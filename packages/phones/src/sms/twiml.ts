const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}
// What XML cannot hold at all.
// oxlint-disable-next-line no-control-regex
const unspeakable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu

/** The answer to a message that came in: nothing, or a text. */
export function twiml(text?: string): Response {
  const message = text === undefined ? '' : `<Message>${escaped(text)}</Message>`
  const headers = { 'content-type': 'text/xml; charset=utf-8', 'x-content-type-options': 'nosniff' }
  return new Response(`<?xml version="1.0" encoding="UTF-8"?><Response>${message}</Response>`, { headers })
}

function escaped(text: string): string {
  return text.replaceAll(unspeakable, '').replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '')
}
