import * as z from 'zod'
import { linkSchema } from './link-schema.ts'

/** The `data` of an artifact part: a reference to bytes that live elsewhere. */
export const artifactSchema = z.object({
  artifactId: z.string().min(1),
  mimeType: z.string().min(1),
  sizeBytes: z.int().nonnegative(),
  name: z.string().exactOptional(),
  url: linkSchema.exactOptional(),
  sha256: z.string().exactOptional(),
})

export type ArtifactReference = z.infer<typeof artifactSchema>
