import * as z from 'zod'
import { isJsonPointer } from './json-pointer.ts'

/** The `data` of a citation part: where the value at a path of the envelope's domain data comes from. */
export const citationSchema = z
  .object({
    path: z
      .string()
      .refine(isJsonPointer, "is not a JSON Pointer such as '/flights/0/price'")
      .describe('A JSON Pointer into the domain data.'),
    title: z.string().exactOptional(),
    url: z.string().exactOptional(),
    artifactId: z.string().exactOptional().describe('The source, when it is an artifact.'),
    quote: z.string().exactOptional(),
    retrievedAt: z.iso.datetime({ offset: true }).exactOptional(),
  })
  .refine(
    (citation) => citation.title ?? citation.url ?? citation.artifactId,
    'names no source: give a title, url or artifactId',
  )

export type Citation = z.infer<typeof citationSchema>
