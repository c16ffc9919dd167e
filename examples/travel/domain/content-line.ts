const maxOctets = 75

/** A property of an iCalendar object as RFC 5545 wants it: on lines of at most 75 octets, each ended by CRLF. */
export function contentLine(name: string, value: string): string {
  return folded(`${name}:${value}`).join('\r\n ') + '\r\n'
}

/** A text value: what has a meaning in iCalendar is escaped, and control characters, which it does not allow, are gone. */
export function textValue(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll(unprintable, '')
    .replaceAll(/[\\;,]/g, (character) => `\\${character}`)
    .replaceAll('\n', '\\n')
}

// oxlint-disable-next-line no-control-regex -- these are what is looked for.
const unprintable = /[\u0000-\u0008\u000B-\u001F\u007F]/g

/** Cut between characters: half of one would not be UTF-8. The space that begins a further line counts too. */
function folded(line: string): string[] {
  const pieces: string[] = []
  let piece = ''
  let octets = 0
  for (const character of line) {
    const size = Buffer.byteLength(character)
    if (octets + size > maxOctets) {
      pieces.push(piece)
      piece = ''
      octets = 1
    }
    piece += character
    octets += size
  }
  return [...pieces, piece]
}
