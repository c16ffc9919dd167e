import * as z from 'zod'

/** A day, as models are asked for it; whether it exists is for `isoDate`, which can say more about it. */
export function dayInput(description: string): z.ZodString {
  return z
    .string()
    .regex(/^\d{4}-\d\d-\d\d$/, 'must be a day, written as YYYY-MM-DD')
    .describe(description)
}
