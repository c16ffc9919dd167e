import * as z from 'zod'

// Without flags, which a JSON Schema's patterns do not have.
const webUrlPattern = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s/?#]+\S*$/

export const webUrlSchema: z.ZodString = z
  .string()
  .regex(webUrlPattern, { error: 'is not an http(s) URL', abort: true })
  .check(parses())

/** An absolute address of any kind, such as the id of a catalog. */
export const absoluteUrlSchema: z.ZodString = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9+.-]*:\S+$/, { error: 'is not an absolute URL', abort: true })
  .check(parses())

export function isWebUrl(value: string): boolean {
  return webUrlPattern.test(value) && URL.canParse(value)
}

// Some of what looks like a URL is none, such as `https://[`.
function parses(): z.core.$ZodCheck<string> {
  return z.refine<string>((value) => URL.canParse(value), 'is not a URL that can be parsed')
}
