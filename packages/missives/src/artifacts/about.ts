import type { Artifact } from '@cool-ai/beach-core'
import { z } from 'zod'

const aboutSchema: z.ZodType<Artifact> = z.object({
  artifactId: z.string(),
  name: z.string(),
  mimeType: z.string(),
  sizeBytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  createdAt: z.number(),
  tenant: z.string(),
  session: z.string().exactOptional(),
})

/** The description file next to an artifact's bytes; undefined when it is missing or incomplete. */
export function parseAbout(text: string | undefined): Artifact | undefined {
  if (text === undefined) return undefined
  try {
    return aboutSchema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
