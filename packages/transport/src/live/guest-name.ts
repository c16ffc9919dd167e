import { BeachError } from '@cool-ai/beach-core'

/** As long as a UUID without its hyphens: what is shorter could be guessed. */
const shortest = 32

export function isHardToGuess(name: string): boolean {
  return name.length >= shortest
}

/** Refuses a name that a caller without a credential has chosen, and that others could guess: it is all that keeps them out. */
export function requireHardToGuess(field: string, name: string, what: string): void {
  if (isHardToGuess(name)) return
  throw new BeachError(
    'UNAUTHENTICATED',
    `Without a credential the ${field} is the only key to its ${what}: use one that nobody can guess, such as a UUID ` +
      `(at least ${shortest} characters), or send \`Authorization: Bearer\` with the token of \`POST /sessions\`.`,
  )
}
