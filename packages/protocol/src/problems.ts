import type * as z from 'zod'

/** A failed parse as sentences that each name the place, such as `data.done: Invalid input: expected number`. */
export function problemsOf(error: z.ZodError, root: string): string[] {
  return error.issues.map((issue) => `${[root, ...issue.path.map(String)].join('.')}: ${messageOf(issue)}`)
}

// What is wrong with a key stands one level further in.
function messageOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message
}
