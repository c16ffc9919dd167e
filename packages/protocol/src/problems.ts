import type * as z from 'zod'

/** A failed parse as sentences that each name the place, such as `data.done: Invalid input: expected number`. */
export function problemsOf(error: z.ZodError, root: string): string[] {
  return error.issues.map((issue) => `${[root, ...issue.path.map(String)].join('.')}: ${issue.message}`)
}
