import { BeachError } from '@cool-ai/beach-core'

// A member that is called like a secret and whose value stands there as a literal. Placeholders in templates are values
// of their own, so a template with one is left alone.
const named =
  /\b(?<name>\w*(?:password|passwd|secret|token|apiKey|api_key|accessKey|privateKey)|pass)['"]?\s*:\s*(?<value>'(?:[^'\\\n]|\\.)+'|"(?:[^"\\\n]|\\.)+"|`[^`$]+`)/gi
/** How keys of well-known services begin, wherever they stand. */
const wellKnown =
  /['"`](?:sk-[\w-]{16,}|AKIA[A-Z0-9]{16}|AIza[\w-]{30,}|gh[pousr]_\w{30,}|xox[abprs]-[\w-]{10,}|whsec_\w{16,}|EAA\w{30,})['"`]|-----BEGIN [A-Z ]*PRIVATE KEY-----|:\/\/[^\s/:@'"`]+:(?<password>[^\s/@'"`$]+)@/g
const least = 6

/**
 * Refuses a configuration that has a secret in its text: it would be in every copy of the repository. Only the line is
 * said, never the secret. Names of variables and other short words are no secrets.
 */
export function refuseLiteralSecrets(source: string, file: string): void {
  const code = withoutComments(source)
  const found = [
    ...[...code.matchAll(named)].filter(({ groups }) => (groups?.value?.length ?? 0) - 2 >= least),
    ...code.matchAll(wellKnown),
  ]
  const [first] = found.toSorted((one, other) => one.index - other.index)
  if (first === undefined) return
  const line = code.slice(0, first.index).split('\n').length
  const what = first.groups?.name === undefined ? 'a secret' : `a secret as \`${first.groups.name}\``
  const message = `${file}:${line} has ${what} in its text, where everybody who has the file can read it. Take it from the environment: process.env.<NAME>.`
  throw new BeachError('INVALID_CONFIGURATION', message)
}

/** With spaces in place of comments, so that lines keep their numbers. */
function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*$/gm, (comment) => comment.replaceAll(/[^\n]/g, ' '))
}
