import type { StandInRequest } from './stand-in-server.ts'

/** A form with files, as browsers and libraries send it; undefined for a body of another type. */
export async function formOf({ body, headers }: StandInRequest) {
  const type = headers['content-type'] ?? ''
  if (!type.startsWith('multipart/')) return undefined
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  const fields: Record<string, string> = {}
  const files: { readonly name: string; readonly bytes: Buffer; readonly mimeType: string }[] = []
  for (const [name, value] of form) {
    if (typeof value === 'string') fields[name] = value
    else files.push({ name: value.name, bytes: Buffer.from(await value.arrayBuffer()), mimeType: value.type })
  }
  return { fields, files }
}
