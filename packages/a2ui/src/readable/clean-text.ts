// Control characters, and those that turn the direction of reading: with them a text can pretend to be another.
const invisible = /(?![\n\t])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu

/** The text without invisible characters; lines end with a line feed. */
export function cleanText(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(invisible, '')
}
