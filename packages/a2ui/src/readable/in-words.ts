/** A name of programs as people would write it: `departureTime` and `departure_time` become `Departure time`. */
export function inWords(name: string): string {
  const parted = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
  const words = parted.split(/\s+/).map((word) => (/^[A-Z\d]{2,}$/.test(word) ? word : word.toLowerCase()))
  const text = words.join(' ')
  return text === '' ? name : `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

// Control characters, and those that turn the direction of reading: with them a text can pretend to be another.
const invisible = /(?![\n\t])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu

/** The text without invisible characters; lines end with a line feed. */
export function cleanText(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(invisible, '')
}
