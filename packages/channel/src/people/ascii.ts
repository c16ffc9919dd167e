const blanks = '\t\n\r '

/**
 * The text without spaces, tabs and line breaks at its ends. `trim` removes other characters too, such as a byte order
 * mark.
 */
export function trimAscii(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && blanks.includes(text.charAt(start))) start++
  while (end > start && blanks.includes(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

/**
 * The text with A to Z in lower case. `toLowerCase` turns other characters into ASCII, such as the Kelvin sign into
 * `k`.
 */
export function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
