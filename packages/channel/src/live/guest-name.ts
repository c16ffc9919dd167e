import { BeachError } from '@cool-ai/beach-core'

/** As long as a UUID without its hyphens: a shorter name could be guessed. */
const minLength = 32
/** A random UUID has 90 to 150 bits by this measure; a counter with zeros before it has 50. */
const minBits = 80

/** True for a name that is long, and is not a few characters over and over. Whether it is random cannot be told. */
export function isHardToGuess(name: string): boolean {
  return name.length >= minLength && bitsIn(name) >= minBits
}

/**
 * Refuses a name that a caller without a credential has chosen, and that others could guess: it is all that keeps them out.
 * `link` leads to a description of the ways around it.
 */
export function requireHardToGuess(field: string, name: string, what: string, link?: string): void {
  if (isHardToGuess(name)) return
  const more = link === undefined ? '' : ` How: ${link}`
  throw new BeachError(
    'UNAUTHENTICATED',
    `Without a credential the ${field} is the only key to its ${what}: use one that cannot be guessed, such as a UUID ` +
      `(at least ${minLength} characters), or send \`Authorization: Bearer\` with the token of \`POST /sessions\`.${more}`,
  )
}

/** The information in a text, by how often each of its characters occurs in it. */
function bitsIn(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits += count * Math.log2(text.length / count)
  return bits
}
