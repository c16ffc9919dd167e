import { BeachError, type ArtifactStore, type Part } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { paramError } from '../openai-error.ts'

/** Where files of a message go. */
export interface FilePlace {
  readonly artifacts: ArtifactStore | undefined
  readonly tenant: string
  readonly session: string
  readonly signal: AbortSignal
}

/** A piece of a message, the same in both APIs. */
export type Content =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly url: string; readonly name: string | undefined; readonly param: string }

type Given = Readonly<Record<string, unknown>>

/** The pieces of a message's `content`. */
export function contentsOf(content: unknown, param: string): Content[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }]
  if (content === null || content === undefined) return []
  if (!Array.isArray(content)) throw paramError(param, 'The content of a message is a text, or a list of its pieces.')
  return (content as readonly Given[]).map((piece, at) => contentOf(piece, `${param}[${at}]`))
}

function contentOf(piece: Given, param: string): Content {
  const { type } = piece
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'refusal': {
      const text = type === 'refusal' ? piece.refusal : piece.text
      if (typeof text === 'string') return { kind: 'text', text }
      throw paramError(param, 'A piece of text has its `text`.')
    }
    case 'image_url':
      return file((piece.image_url as Given | undefined)?.url, undefined, param)
    case 'input_image':
      return file(piece.image_url, undefined, param)
    case 'file': {
      const { file_data: data, filename } = (piece.file ?? {}) as Given
      return file(data, filename, param)
    }
    case 'input_file':
      return file(piece.file_data ?? piece.file_url, piece.filename, param)
    default:
      throw paramError(
        param,
        `A piece of type '${String(type).slice(0, 50)}' cannot be taken: send texts, images and files.`,
      )
  }
}

function file(url: unknown, name: unknown, param: string): Content {
  if (typeof url !== 'string' || !/^(data:|https?:)/i.test(url)) {
    throw paramError(
      param,
      'Send a file as a `data:` URL, or by its `https:` URL. Files that were uploaded before are not known here.',
    )
  }
  return { kind: 'file', url, name: typeof name === 'string' ? name.slice(0, 200) : undefined, param }
}

/** Pieces of a person's message as its parts; files become artifacts of the session. */
export async function partsOf(contents: readonly Content[], place: FilePlace): Promise<Part[]> {
  const parts: Part[] = []
  for (const content of contents)
    parts.push(content.kind === 'text' ? textPart(content.text) : await filePart(content, place))
  return parts
}

function textPart(text: string): Part {
  return { text, metadata: { partType: 'message' } }
}

/** What of a message is text; files by their names. */
export function wordsOf(contents: readonly Content[]): string {
  return contents.map((content) => (content.kind === 'text' ? content.text : `[${content.name ?? 'file'}]`)).join('\n')
}

async function filePart({ url, name, param }: Extract<Content, { kind: 'file' }>, place: FilePlace): Promise<Part> {
  if (!/^data:/i.test(url)) return { data: { url, ...defined({ filename: name }) }, metadata: { partType: 'message' } }
  const [, mimeType = 'application/octet-stream', base64] =
    /^data:([\w.+-]+\/[\w.+-]+)?[^,]*;base64,([A-Za-z0-9+/_=-]*)$/.exec(url) ?? []
  if (base64 === undefined) throw paramError(param, 'A `data:` URL of a file is in base64.')
  const { artifacts, tenant, session, signal } = place
  if (artifacts === undefined) throw paramError(param, 'This agent keeps no files: send the file by its `https:` URL.')
  const about = { name: name ?? `file.${/\/(\w{1,8})/.exec(mimeType)?.[1] ?? 'bin'}`, mimeType, tenant, session }
  try {
    const stored = await artifacts.put(Buffer.from(base64, 'base64'), about, signal)
    const { artifactId, mimeType: type, sizeBytes, name: called, sha256 } = stored
    return { data: { artifactId, mimeType: type, sizeBytes, name: called, sha256 }, metadata: { partType: 'artifact' } }
  } catch (error) {
    if (error instanceof BeachError && error.status < 500) throw paramError(param, error.message)
    throw error
  }
}
