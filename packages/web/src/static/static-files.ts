import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { contentEncoding, type ContentEncoding } from './content-encoding.ts'

/** The content of a file as text or bytes. */
export type StaticContent = string | Uint8Array<ArrayBuffer>

/** Which files are served, and how long browsers may keep them. */
export interface StaticFilesOptions {
  /** Sent with every file, such as a content security policy; called with the file's name. */
  readonly headers?: ((name: string) => Readonly<Record<string, string>>) | undefined
  /** Whether a name contains a hash of its content, so that browsers keep the file for a year; those under `/assets/` when left out. */
  readonly isHashed?: ((name: string) => boolean) | undefined
}

/** Answers a request for the file of that name. */
export type ServeStatic = (request: Request, name: string, content: StaticContent) => Promise<Response>

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  mjs: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  webmanifest: 'application/manifest+json',
  webp: 'image/webp',
  woff2: 'font/woff2',
}

const compressible: ReadonlySet<string> = new Set(['css', 'html', 'js', 'json', 'mjs', 'svg', 'txt', 'webmanifest'])
/** Below this a packet is not full either way. */
const minCompressedBytes = 1_000
const maxKept = 500

/**
 * Serves the files of a page: compressed with Brotli or gzip, once per content, and with an `ETag`. Files whose names
 * contain a hash are kept by browsers for good; the rest is asked for again, and answered with 304 while it is the same.
 * Only for content that is the same for every reader: the length of a compressed answer tells what stands in it, so
 * nothing that holds a secret, or repeats what a request says, belongs here.
 */
export function staticFiles({ headers, isHashed = underAssets }: StaticFilesOptions = {}): ServeStatic {
  const kept = new Map<StaticContent, KeptContent>()
  const keep = (content: StaticContent): KeptContent => {
    const known = kept.get(content)
    if (known !== undefined) return known
    const added = new KeptContent(content)
    kept.set(content, added)
    for (const [oldest] of kept) {
      if (kept.size <= maxKept) break
      kept.delete(oldest)
    }
    return added
  }
  return async (request, name, content) => {
    const ending = name.split('.').at(-1) ?? ''
    const file = keep(content)
    const mayCompress = compressible.has(ending) && file.bytes.length >= minCompressedBytes
    const encoding = mayCompress ? contentEncoding(request.headers.get('accept-encoding')) : undefined
    const common = {
      ...headers?.(name),
      'content-type': types[ending] ?? 'application/octet-stream',
      // A page may be answered with a cookie, which no shared cache may keep.
      'cache-control': isHashed(name) ? 'public, max-age=31536000, immutable' : 'private, no-cache',
      etag: file.etag,
      'x-content-type-options': 'nosniff',
      ...(mayCompress && { vary: 'accept-encoding' }),
    }
    if (isKnown(request.headers.get('if-none-match'), file.etag)) {
      return new Response(null, { status: 304, headers: common })
    }
    if (encoding === undefined) return new Response(file.bytes, { headers: common })
    return new Response(await file.encoded(encoding), { headers: { ...common, 'content-encoding': encoding } })
  }
}

/** One content with its compressed forms, each made by the first request for it. */
class KeptContent {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Weak: the compressed forms have it too. */
  readonly etag: string
  readonly #encoded = new Map<ContentEncoding, Promise<Uint8Array<ArrayBuffer>>>()

  constructor(content: StaticContent) {
    this.bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
    this.etag = `W/"${createHash('sha256').update(this.bytes).digest('base64url').slice(0, 27)}"`
  }

  encoded(encoding: ContentEncoding): Promise<Uint8Array<ArrayBuffer>> {
    const known = this.#encoded.get(encoding) ?? compressed[encoding](this.bytes).then((bytes) => new Uint8Array(bytes))
    this.#encoded.set(encoding, known)
    return known
  }
}

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

// A quality of 8 takes some 20 ms for 200 kB, in another thread; 11 is a twentieth smaller, and takes half a second.
const compressed: Readonly<Record<ContentEncoding, (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  br: (bytes) => brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 8 } }),
  gzip: (bytes) => zip(bytes, { level: 9 }),
}

function underAssets(name: string): boolean {
  return name.startsWith('/assets/')
}

/** Whether the reader has this content already, by weak comparison. */
function isKnown(given: string | null, etag: string): boolean {
  if (given === null) return false
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return given.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag))
}
