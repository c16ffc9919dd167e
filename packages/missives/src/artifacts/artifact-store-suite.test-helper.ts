import { createHash, randomBytes } from 'node:crypto'
import type { Artifact, ArtifactStore, Runtime } from '@cool-ai/beach-core'
import type { ArtifactContent, ArtifactQuery } from '@cool-ai/beach-core/ports'
import { expect, test } from 'vitest'
import type { ArtifactLimits } from './admission.ts'

export const about = { name: 'plan.txt', mimeType: 'text/plain', tenant: 'acme' }

export async function bytesOf(stream: ReadableStream<Uint8Array> | undefined): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(stream ?? []))
}

export async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += size) yield bytes.subarray(start, start + size)
}

/** The tests that every store of artifacts passes. */
export function testArtifactStore(
  open: (limits?: ArtifactLimits) => Promise<ArtifactStore>,
  runtime: Runtime,
  /** A bucket cannot tell which of several deletions at once was first. */
  options: { readonly cannotTellFirst?: boolean } = {},
): void {
  const bytes = Buffer.from(randomBytes(525_000).toString('base64'))
  const contents: [string, () => ArtifactContent][] = [
    ['bytes', () => bytes],
    ['an async iterable', () => chunksOf(bytes, 9_999)],
    ['a stream', () => new Blob([bytes]).stream()],
  ]

  test.each(contents)('gives back what came in as %s', async (_kind, content) => {
    const store = await open()
    const artifact = await store.put(content(), { ...about, session: 'sess_1' })
    expect(artifact).toEqual({
      ...about,
      artifactId: expect.stringMatching(/^art_[a-z0-9]{26}$/),
      session: 'sess_1',
      sizeBytes: bytes.byteLength,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      createdAt: runtime.clock.now(),
    })
    const found = await store.get(artifact.artifactId, 'acme')
    expect(found?.artifact).toEqual(artifact)
    expect((await bytesOf(found?.open())).equals(bytes)).toBe(true)
    expect(await bytesOf(found?.open({ start: 65_530, end: 65_540 }))).toEqual(bytes.subarray(65_530, 65_540))
  })

  test('gives any range that exists, and no other', async () => {
    const store = await open()
    const { artifactId } = await store.put(Buffer.from('0123456789'), about)
    const found = await store.get(artifactId, 'acme')
    expect(String(await bytesOf(found?.open({ start: 0, end: 1 })))).toBe('0')
    expect(String(await bytesOf(found?.open({ start: 4, end: 10 })))).toBe('456789')
    expect(String(await bytesOf(found?.open({ start: 10, end: 10 })))).toBe('')
    for (const [start, end] of [
      [-1, 5],
      [5, 4],
      [0, 11],
      [0.5, 2],
      [Number.NaN, 2],
    ] as const) {
      expect(() => found?.open({ start, end })).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }))
    }
  })

  test('keeps an empty artifact', async () => {
    const store = await open()
    const artifact = await store.put(new Uint8Array(), about)
    expect(artifact.sizeBytes).toBe(0)
    expect(await bytesOf((await store.get(artifact.artifactId, 'acme'))?.open())).toEqual(Buffer.alloc(0))
  })

  test('does not have another tenant’s artifact, nor what never was one', async () => {
    const store = await open()
    const { artifactId } = await store.put(Buffer.from('secret'), about)
    for (const [id, tenant] of [
      [artifactId, 'other'],
      [artifactId, ''],
      [artifactId.toUpperCase(), 'acme'],
      ['art_aaaaaaaaaaaaaaaaaaaaaaaaaa', 'acme'],
      ['../kept', 'acme'],
      [`../kept/${artifactId}`, 'acme'],
      ['..', 'acme'],
      ['', 'acme'],
      [`${artifactId}\0`, 'acme'],
      ['__proto__', 'acme'],
      ['/etc', 'acme'],
    ] as const) {
      expect(await store.get(id, tenant), id).toBeUndefined()
      expect(await store.delete(id, tenant), id).toBe(false)
    }
    expect(await store.get(artifactId, 'acme')).toBeDefined()
  })

  test('deletes once', async () => {
    const store = await open()
    const { artifactId } = await store.put(Buffer.from('x'), about)
    const tried = await Promise.all([1, 2, 3].map(() => store.delete(artifactId, 'acme')))
    if (options.cannotTellFirst === true) expect(tried).toContain(true)
    else expect(tried.filter(Boolean)).toHaveLength(1)
    expect(await store.get(artifactId, 'acme')).toBeUndefined()
    expect(await store.delete(artifactId, 'acme')).toBe(false)
  })

  test('lists all, those of a tenant, and those of a session, page by page', async () => {
    const store = await open()
    const put = (more: { tenant?: string; session?: string }) => store.put(Buffer.from('x'), { ...about, ...more })
    const kept = [
      await put({}),
      await put({ session: 'one' }),
      await put({ session: 'one' }),
      await put({ session: 'two' }),
      await put({ tenant: 'other', session: 'one' }),
    ]
    const ids = (artifacts: readonly Artifact[]) => artifacts.map(({ artifactId }) => artifactId).toSorted()
    const all = async (query: ArtifactQuery): Promise<Artifact[]> => {
      const { items, next } = await store.list({ ...query, limit: 2 })
      expect(items.length).toBeLessThanOrEqual(2)
      return next === undefined ? [...items] : [...items, ...(await all({ ...query, after: next }))]
    }
    expect(ids(await all({}))).toEqual(ids(kept))
    expect((await all({})).find(({ artifactId }) => artifactId === kept[1]?.artifactId)).toEqual(kept[1])
    expect(ids(await all({ tenant: 'acme' }))).toEqual(ids(kept.slice(0, 4)))
    expect(ids(await all({ tenant: 'acme', session: 'one' }))).toEqual(ids(kept.slice(1, 3)))
    expect(await all({ tenant: 'nobody' })).toEqual([])
    await store.delete(kept[1]?.artifactId ?? '', 'acme')
    expect(ids(await all({ tenant: 'acme', session: 'one' }))).toEqual(ids(kept.slice(2, 3)))
    await expect(store.list({ session: 'one' })).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  })

  test('keeps the type that the bytes are of, not one that they belie', async () => {
    const store = await open()
    const program = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(2_000, 7)])
    const pdf = Buffer.from('%PDF-1.7 and so on')
    for (const [content, mimeType, kept] of [
      [pdf, 'application/pdf', 'application/pdf'],
      [program, 'application/pdf', 'application/octet-stream'],
      [program, 'audio/x-unheard-of', 'application/octet-stream'],
      [pdf, 'text/plain; charset=utf-8', 'application/octet-stream'],
      [Buffer.from('Grüße'), 'text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
    ] as const) {
      const { artifactId, mimeType: said } = await store.put(chunksOf(content, 3), { ...about, mimeType })
      expect(said).toBe(kept)
      expect((await store.get(artifactId, 'acme'))?.artifact.mimeType).toBe(kept)
    }
  })

  test('makes names safe and types uniform, and refuses types that it does not take', async () => {
    const store = await open()
    const kept = await store.put(Buffer.from('x'), { ...about, name: '../../etc/passwd', mimeType: 'Text/PLAIN' })
    expect(kept).toMatchObject({ name: 'etc-passwd', mimeType: 'text/plain' })
    for (const [mimeType, code] of [
      ['application/x-msdownload', 'UNSUPPORTED_MEDIA_TYPE'],
      ['text/plain\r\nx: y', 'BAD_REQUEST'],
    ]) {
      await expect(store.put(Buffer.from('x'), { ...about, mimeType: mimeType ?? '' })).rejects.toMatchObject({ code })
    }
    const own = await open({ mimeTypes: ['application/x-msdownload'] })
    await expect(own.put(Buffer.from('x'), about)).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' })
    await own.put(Buffer.from('x'), { ...about, mimeType: 'application/x-msdownload' })
    for (const tenant of ['', 'x'.repeat(201), '\uD800']) {
      await expect(store.put(Buffer.from('x'), { ...about, tenant })).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    }
  })

  test('takes as much as its limit, and tells content beyond it to stop', async () => {
    const store = await open({ maxBytes: 10 })
    await store.put(Buffer.from('0123456789'), about)
    await expect(store.put(Buffer.from('0123456789a'), about)).rejects.toMatchObject({ code: 'TOO_LARGE' })
    let given = 0
    let stopped = false
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.from(`${given++ % 10}`)
      } finally {
        stopped = true
      }
    }
    await expect(store.put(endless(), about)).rejects.toMatchObject({ code: 'TOO_LARGE' })
    expect({ given, stopped }).toEqual({ given: 11, stopped: true })
    let cancelled = false
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(Buffer.from('abc')),
      cancel: () => void (cancelled = true),
    })
    await expect(store.put(stream, about)).rejects.toMatchObject({ code: 'TOO_LARGE' })
    expect(cancelled).toBe(true)
  })

  test('passes on the error of content that fails midway', async () => {
    const store = await open()
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half')
      throw new TypeError('the source broke')
    }
    await expect(store.put(failing(), about)).rejects.toThrow(new TypeError('the source broke'))
    const notBytes = (async function* () {
      yield 'text' as unknown as Uint8Array
    })()
    await expect(store.put(notBytes, about)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  })

  test('stops when it is told to, though the content never answers', async () => {
    const store = await open()
    let cancelled: unknown
    const stalled = [
      new ReadableStream<Uint8Array>({ cancel: () => void (cancelled = true) }),
      { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) },
    ]
    for (const content of stalled) {
      const stop = new AbortController()
      const putting = store.put(content, about, stop.signal)
      stop.abort(new Error('enough'))
      await expect(putting).rejects.toThrow('enough')
    }
    expect(cancelled).toBe(true)
    await expect(store.put(Buffer.from('x'), about, AbortSignal.abort(new Error('late')))).rejects.toThrow('late')
  })

  test('refuses limits that make no sense', async () => {
    for (const limits of [{ maxBytes: -1 }, { maxBytes: Number.NaN }, { mimeTypes: ['*'] }]) {
      await expect(open(limits)).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
    }
  })
}
