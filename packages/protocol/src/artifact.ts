import * as z from 'zod'
import { linkSchema } from './link-schema.ts'

const stored = ['artifactId', 'mimeType', 'sizeBytes'] as const

const fieldsSchema = z
  .object({
    artifactId: z.string().min(1).exactOptional(),
    mimeType: z.string().min(1).exactOptional(),
    sizeBytes: z.int().nonnegative().exactOptional(),
    name: z.string().exactOptional(),
    url: linkSchema.exactOptional(),
    sha256: z.string().exactOptional(),
  })
  .check(({ value, issues }) => {
    const missing = stored.filter((name) => value[name] === undefined)
    if (value.url !== undefined || missing.length === 0) return
    const message = `needs a url, or artifactId, mimeType and sizeBytes (missing: ${missing.join(', ')})`
    issues.push({ code: 'custom', message, path: [], input: value })
  })
  // What the check says, for the published JSON Schema.
  .meta({ anyOf: [{ required: ['url'] }, { required: [...stored] }] })

type Fields = z.infer<typeof fieldsSchema>

/** A file that the agent's store has, or one that is elsewhere, of which the URL is enough. */
export type ArtifactReference =
  | (Fields & Required<Pick<Fields, (typeof stored)[number]>>)
  | (Fields & Required<Pick<Fields, 'url'>>)

/** The `data` of an artifact part: a reference to bytes that live elsewhere. */
export const artifactSchema = fieldsSchema as unknown as z.ZodType<ArtifactReference, ArtifactReference>

/** What a file is called: by its reference, else by the end of its address. */
export function artifactName({ name, artifactId, url }: ArtifactReference): string {
  return name || artifactId || lastSegment(url ?? '') || 'File'
}

function lastSegment(url: string): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/)
  const segment = path.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
