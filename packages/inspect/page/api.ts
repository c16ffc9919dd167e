/** An error of the operator API, with the sentence that it gave. */
export class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Asks the operator API; paths are below `/inspect/api/`. */
export async function ask<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  return request<Answer>(`api/${path}`, { signal: signal ?? null })
}

/** Asks the operator API for a text. */
export async function askText(path: string): Promise<string> {
  const response = await fetch(`api/${path}`, { credentials: 'same-origin' })
  const text = await response.text()
  if (response.ok) return text
  throw failed(response.status, text)
}

/** Has the agent do something. */
export async function act<Answer>(path: string, body?: unknown, method = 'POST'): Promise<Answer> {
  const headers = { 'x-beach-inspect': '1', ...(body !== undefined && { 'content-type': 'application/json' }) }
  return request<Answer>(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
}

async function request<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(path, { ...init, credentials: 'same-origin' })
  const text = await response.text()
  if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as Answer
  throw failed(response.status, text)
}

function failed(status: number, text: string): ApiError {
  const { error } = Object(text === '' ? undefined : JSON.parse(text)) as { error?: { message?: string } }
  return new ApiError(status, error?.message ?? `The agent answered with ${status}.`)
}

/** A query without what is empty. */
export function query(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).flatMap(([name, value]) => {
    return value === undefined || value === '' ? [] : [[name, String(value)]]
  })
  return new URLSearchParams(given).toString()
}
