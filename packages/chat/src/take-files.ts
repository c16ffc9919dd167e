import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { extensionOf, takeFile } from '@cool-ai/beach-channel/people'
import { BeachError, type ArtifactStore, type Part, type Runtime } from '@cool-ai/beach-core'
import type { Attachment } from 'chat'
import { notices } from './chat-notices.ts'
import type { IncomingFile, SaidItem } from './incoming-item.ts'
import type { Platform } from './platform.ts'

interface TakeFilesOptions {
  readonly artifacts: ArtifactStore | undefined
  readonly runtime: Runtime
  readonly tenant: string
  readonly maxFileBytes: number
}

const maxFiles = 10
const fetchMs = 60_000

/** Takes in the files of a message: fetched by the platform’s adapter, which has the token for them. */
export async function takeFiles(
  { files, from }: SaidItem,
  platform: Platform,
  session: string,
  { artifacts, runtime, tenant, maxFileBytes: max }: TakeFilesOptions,
  signal: AbortSignal,
): Promise<readonly Part[]> {
  if (files.length === 0) return []
  if (artifacts === undefined) throw new BeachError('UNSUPPORTED_MEDIA_TYPE', notices.noFiles)
  if (files.length > maxFiles || files.some(({ size = 0 }) => size > max)) throw tooLarge(max)
  const parts: Part[] = []
  for (const file of files) {
    const mimeType = file.mimeType?.split(';', 1)[0] ?? 'application/octet-stream'
    const about = { name: file.name ?? `${file.type}.${extensionOf(mimeType)}`, mimeType, tenant, session }
    const fetched = await platform.call(from.workspace, () => fetchFile(file, platform, runtime, max, signal), signal)
    if ('failure' in fetched) {
      const code = fetched.failure.status === 'failed' ? 'UNREACHABLE' : 'EXPIRED'
      throw new BeachError(code, `A file could not be fetched: ${fetched.failure.reason}`)
    }
    parts.push(await takeFile(artifacts, fetched.done, about, { max, signal }))
  }
  return parts
}

async function fetchFile(
  file: IncomingFile,
  { adapter }: Platform,
  { clock }: Runtime,
  max: number,
  signal: AbortSignal,
): Promise<Response> {
  const { url } = file
  const fetchable: Attachment = adapter.rehydrateAttachment?.({ ...file }) ?? { ...file }
  if (fetchable.fetchData !== undefined) {
    const bytes = await fetchable.fetchData()
    return new Response(new Uint8Array(bytes instanceof ArrayBuffer ? bytes : Buffer.from(bytes)))
  }
  if (url === undefined) throw new BeachError('EXPIRED', 'The file has no address.')
  return guardedFetch({ clock, limits: { bytes: max + 1, totalMs: fetchMs } })(url, { signal })
}

function tooLarge(max: number): BeachError {
  return new BeachError('TOO_LARGE', `There are too many files, or one is larger than ${max} bytes.`)
}
