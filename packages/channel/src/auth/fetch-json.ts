import type { Clock } from '@cool-ai/beach-core'
import { raceAbort } from '@cool-ai/beach-core/runtime'
import type { Fetch } from './fetch.ts'

export interface FetchJsonOptions {
  readonly fetch: Fetch
  readonly clock: Clock
  readonly timeoutMs: number
  readonly init?: RequestInit | undefined
}

/** An answer with its status; without a value when its body is no JSON. */
export interface JsonAnswer {
  readonly status: number
  readonly value?: unknown
}

const maxBytes = 256 * 1024

/** Fetches JSON, bounded in time and size, from the very address that was given: redirects are not followed. */
export async function fetchJson(url: string, options: FetchJsonOptions): Promise<JsonAnswer> {
  const end = new AbortController()
  const cancel = options.clock.timer(options.timeoutMs, () => end.abort(new DOMException('No answer.', 'TimeoutError')))
  try {
    return await raceAbort(answer(url, options, end.signal), end.signal)
  } finally {
    cancel()
    end.abort()
  }
}

async function answer(url: string, { fetch, init }: FetchJsonOptions, signal: AbortSignal): Promise<JsonAnswer> {
  const response = await fetch(url, { ...init, redirect: 'manual', signal })
  const text = await readText(response)
  try {
    return { status: response.status, value: JSON.parse(text) as unknown }
  } catch {
    return { status: response.status }
  }
}

async function readText({ body }: Response): Promise<string> {
  if (body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > maxBytes) throw new RangeError(`The answer is larger than ${maxBytes} bytes.`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
