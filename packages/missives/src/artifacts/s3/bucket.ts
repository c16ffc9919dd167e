import { createHash } from 'node:crypto'
import { BeachError, sleep, type Runtime } from '@cool-ai/beach-core'
import type { ByteRange } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { AwsClient } from 'aws4fetch'
import { firstIn, keysIn } from './xml.ts'

/** Which bucket, and the credentials for it. */
export interface BucketOptions {
  /** The bucket's own address: `https://s3.eu-central-1.amazonaws.com/name`, or `https://name.s3.example`. */
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

/** One entry of a bucket's list. */
export interface ObjectEntry {
  readonly key: string
  readonly changedAt: number
}

interface Call {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
}

const tries = 4
const patienceMs = 60_000

/** The few requests that artifacts need of a bucket. Temporary failures are retried. */
export class Bucket {
  readonly #aws: AwsClient
  readonly #address: string
  readonly #runtime: Runtime

  constructor(options: BucketOptions, runtime: Runtime) {
    const { bucket, ...credentials } = options
    if (!URL.canParse(bucket) || !/^https?:$/.test(new URL(bucket).protocol) || /[?#@]/.test(bucket)) {
      throw new BeachError(
        'INVALID_CONFIGURATION',
        `'${bucket}' is not the address of a bucket; give one like https://s3.example/name.`,
      )
    }
    this.#address = bucket.replace(/\/+$/, '')
    this.#runtime = runtime
    this.#aws = new AwsClient({ ...defined(credentials), service: 's3', retries: 0 })
  }

  async put(key: string, body: Uint8Array, signal?: AbortSignal): Promise<void> {
    await this.#text({ method: 'PUT', key, body, signal })
  }

  /** The bytes, or those from the start of a range on, at least up to its end; undefined when there is no such object. */
  async get(key: string, range?: ByteRange, signal?: AbortSignal): Promise<Response | undefined> {
    const headers = range && { range: `bytes=${range.start}-${range.end - 1}` }
    const response = await this.#call({ method: 'GET', key, signal, headers })
    if (response.status === 404) {
      await response.body?.cancel()
      return undefined
    }
    // A server that does not know ranges would give all of it.
    const isIt = response.headers.get('content-range')?.startsWith(`bytes ${range?.start}-`)
    if (range === undefined || (response.status === 206 && isIt === true)) return response
    await response.body?.cancel()
    throw unavailable('It does not know ranges.')
  }

  async delete(key: string): Promise<void> {
    await this.#text({ method: 'DELETE', key })
  }

  /** Entries in the order of their keys; fewer than the limit are the last ones. */
  async list(prefix: string, after: string | undefined, limit: number): Promise<ObjectEntry[]> {
    // The first version of this request: every server has it, and its marker is a key, as ours are.
    const query = defined({ prefix, 'max-keys': String(limit), marker: after || undefined })
    return keysIn(await this.#text({ method: 'GET', query }))
  }

  /** Puts an object in pieces of which each must have 5 MB, but for the last one; all of it or nothing. */
  async putPieces(key: string, pieces: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void> {
    const begun = await this.#text({ method: 'POST', key, query: { uploads: '' }, signal })
    const uploadId = firstIn(begun, 'UploadId')
    if (uploadId === undefined) throw unavailable('It did not begin an upload.')
    try {
      const etags: string[] = []
      for await (const body of pieces) {
        const query = { partNumber: String(etags.length + 1), uploadId }
        const response = await this.#call({ method: 'PUT', key, query, body, signal })
        await response.body?.cancel()
        etags.push(response.headers.get('etag') ?? '')
      }
      await this.#complete(key, uploadId, etags, signal)
    } catch (error) {
      await this.#text({ method: 'DELETE', key, query: { uploadId } }).catch((failure: unknown) => {
        this.#runtime.logger.log('warn', 'an upload that failed could not be taken back', { error: failure })
      })
      throw error
    }
  }

  async #complete(key: string, uploadId: string, etags: readonly string[], signal?: AbortSignal): Promise<void> {
    const parts = etags.map((etag, index) => {
      return `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag.replaceAll('"', '&quot;')}</ETag></Part>`
    })
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`)
    // It may answer 200 before it knows, and say afterwards that it failed.
    const text = await this.#text({ method: 'POST', key, query: { uploadId }, body, signal })
    if (/<Error[\s>]/.test(text)) throw unavailable(firstIn(text, 'Code') ?? 'It did not complete an upload.')
  }

  /** The answer, read to the end, so that the connection can be used again. */
  async #text(call: Call): Promise<string> {
    return (await this.#call(call)).text()
  }

  async #call(call: Call): Promise<Response> {
    const { method, key, signal } = call
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted()
      let problem: unknown
      try {
        const response = await this.#send(call)
        if (response.ok || (response.status === 404 && key !== undefined && method !== 'PUT')) return response
        const text = (await response.text()).slice(0, 10_000)
        problem = unavailable(`It answered ${response.status} ${firstIn(text, 'Code') ?? ''}`.trim())
        if (response.status < 500 && response.status !== 429) throw problem
      } catch (error) {
        if (error === problem || signal?.aborted === true) throw error
        problem = error
      }
      if (attempt === tries) {
        throw problem instanceof BeachError ? problem : unavailable('It could not be reached.', problem)
      }
      const delay = 2 ** attempt * 50 * (0.5 + this.#runtime.random())
      await sleep(this.#runtime.clock, delay, signal)
    }
  }

  async #send({ method, key, query, body, headers, signal }: Call): Promise<Response> {
    const url = new URL(key === undefined ? `${this.#address}/` : `${this.#address}/${key}`)
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
    const sha256 = createHash('sha256')
      .update(body ?? '')
      .digest('hex')
    const request = await this.#aws.sign(url.href, {
      method,
      headers: { ...headers, 'x-amz-content-sha256': sha256 },
      body: body ? new Uint8Array(body) : null,
    })
    const late = new AbortController()
    const cancel = this.#runtime.clock.timer(patienceMs, () => late.abort(new Error('It took too long.')))
    const either = AbortSignal.any([late.signal, ...(signal ? [signal] : [])])
    try {
      // A redirect would need another signature; the address is to be the right one.
      return await fetch(request, { redirect: 'manual', signal: either })
    } finally {
      cancel()
    }
  }
}

function unavailable(reason: string, cause?: unknown): BeachError {
  const message = `The bucket of the artifacts cannot be used right now. ${reason}`
  return new BeachError('STORE_UNAVAILABLE', message, cause === undefined ? {} : { cause })
}
