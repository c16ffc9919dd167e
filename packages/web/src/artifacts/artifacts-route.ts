import { errorResponse } from '@cool-ai/beach-channel/http'
import { BeachError, type Artifact, type ArtifactStore, type Runtime } from '@cool-ai/beach-core'
import type { ArtifactLink } from '@cool-ai/beach-core/ports'
import { parseRange } from './byte-range.ts'
import { attachment } from './content-disposition.ts'
import { endWith } from './end-with.ts'

/** Which artifacts are served, and to whom. */
export interface ArtifactsRouteOptions {
  readonly runtime: Runtime
  readonly artifacts: ArtifactStore
  /** Verifies links: only the signature admits the bearer. */
  readonly verify: (url: URL) => Promise<ArtifactLink>
}

/** Media types that are passed on; all others are served as plain bytes. None of these can run a script. */
const inertTypes: ReadonlySet<string> = new Set([
  'application/pdf',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
  'text/calendar',
  'text/csv',
  'text/plain',
])
const inertKinds = /^(?:audio|video)\/[a-z0-9][a-z0-9.+-]*$/
const methods = 'GET, HEAD'
const maxCachedMs = 60 * 60 * 1_000

/** On every answer, errors too: browsers must not show it as a page, guess its type, list it, or pass its address on. */
const guarded = {
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
} as const

/** Artifacts by signed links, always as files to save. */
export async function answerArtifact(request: Request, options: ArtifactsRouteOptions): Promise<Response> {
  try {
    return await answer(request, options)
  } catch (error) {
    const response = errorResponse(error, options.runtime)
    for (const [name, value] of Object.entries(guarded)) response.headers.set(name, value)
    return response
  }
}

async function answer(request: Request, { artifacts, verify, runtime }: ArtifactsRouteOptions): Promise<Response> {
  const { method, headers: asked, signal } = request
  if (method !== 'GET' && method !== 'HEAD') {
    throw new BeachError('METHOD_NOT_ALLOWED', `Use ${methods} here.`, { details: { allow: methods } })
  }
  const link = await verify(new URL(request.url))
  if (link.status === 'expired') throw new BeachError('EXPIRED', 'This link has expired. Ask for a new one.')
  const found = link.status === 'valid' ? await artifacts.get(link.artifactId, link.tenant) : undefined
  if (link.status !== 'valid' || found === undefined) {
    throw new BeachError('NOT_FOUND', 'There is no such artifact, or this link does not lead to it.')
  }
  const { artifact } = found
  const size = artifact.sizeBytes
  const tag = `"${artifact.sha256}"`
  const cached = { ...guarded, etag: tag, 'cache-control': cacheControl(link.expiresAt - runtime.clock.now()) }
  if (matchesTag(asked.get('if-none-match'), tag)) return new Response(null, { status: 304, headers: cached })

  const headers = {
    ...cached,
    'accept-ranges': 'bytes',
    'content-type': servedType(artifact),
    'content-disposition': attachment(artifact.name),
  }
  // A range of another version than the caller's is of no use to it.
  const current = (asked.get('if-range') ?? tag) === tag
  const range = method === 'GET' && current ? parseRange(asked.get('range'), size) : undefined
  if (range === 'unsatisfiable') {
    const details = { contentRange: `bytes */${size}` }
    throw new BeachError('RANGE_NOT_SATISFIABLE', `The artifact has ${size} bytes, and none in this range.`, {
      details,
    })
  }
  const { start, end } = range ?? { start: 0, end: size }
  const body = method === 'GET' ? endWith(found.open({ start, end }), signal) : null
  const length = { 'content-length': String(end - start) }
  if (range === undefined) return new Response(body, { headers: { ...headers, ...length } })
  const contentRange = { 'content-range': `bytes ${start}-${end - 1}/${size}` }
  return new Response(body, { status: 206, headers: { ...headers, ...length, ...contentRange } })
}

/** Whether an `If-None-Match` header names this tag; a cached copy is then still good. */
function matchesTag(header: string | null, tag: string): boolean {
  const named = header?.split(',').map((item) => item.trim().replace(/^W\//, '')) ?? []
  return named.includes(tag) || named.includes('*')
}

/** Never beyond the link's own time. */
function cacheControl(leftMs: number): string {
  return `private, max-age=${Math.floor(Math.max(Math.min(leftMs, maxCachedMs), 0) / 1_000)}`
}

/** The stored type without its parameters where it is harmless. */
function servedType({ mimeType }: Artifact): string {
  const essence = mimeType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return inertTypes.has(essence) || inertKinds.test(essence) ? essence : 'application/octet-stream'
}
