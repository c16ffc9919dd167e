import * as z from 'zod'

/** The `data` of a progress part: how far a long operation has come. */
export const progressSchema = z.object({
  label: z.string().min(1),
  done: z.number().nonnegative().exactOptional(),
  total: z.number().nonnegative().exactOptional(),
  unit: z.string().exactOptional(),
})

/** How far a long work has come. */
export type Progress = z.infer<typeof progressSchema>

/** The progress in words: `Research: 3 of 10 sections`. */
export function progressText({ label, done, total, unit }: Progress): string {
  if (done === undefined) return label
  const amount = total === undefined ? `${done}` : `${done} of ${total}`
  return unit === undefined ? `${label}: ${amount}` : `${label}: ${amount} ${unit}`
}
