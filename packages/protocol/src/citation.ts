import * as z from 'zod'
import { jsonPointerPattern } from './json-pointer.ts'
import { linkSchema } from './link-schema.ts'

/** The `data` of a citation part: where the value at a path of the envelope's domain data comes from. */
export const citationSchema = z
  .object({
    path: z
      .string()
      .regex(jsonPointerPattern, "is not a JSON Pointer such as '/flights/0/price'")
      .describe('A JSON Pointer into the domain data.'),
    title: z.string().exactOptional(),
    url: linkSchema.exactOptional(),
    artifactId: z.string().exactOptional().describe('The source, when it is an artifact.'),
    quote: z.string().exactOptional(),
    retrievedAt: z.iso.datetime({ offset: true }).exactOptional(),
  })
  .refine(
    (citation) => citation.title ?? citation.url ?? citation.artifactId,
    'names no source: give a title, url or artifactId',
  )
  .meta({ anyOf: ['title', 'url', 'artifactId'].map((key) => ({ required: [key] })) })

/** Where a piece of data comes from. */
export type Citation = z.infer<typeof citationSchema>
