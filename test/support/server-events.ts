/** A server-sent event as a program reads it. */
export interface ServerEvent {
  readonly event: string
  readonly id?: string
  readonly data: unknown
}

/** Reads server-sent events until the caller stops, or the server does. */
export async function* readEvents(
  url: string,
  headers: Record<string, string>,
  init: RequestInit = {},
  signal?: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const stop = new AbortController()
  const response = await fetch(url, {
    ...init,
    headers,
    signal: AbortSignal.any([stop.signal, ...(signal ? [signal] : [])]),
  })
  if (response.status !== 200 || response.body === null) {
    const problem = `${url} answers ${response.status}: ${await response.text()}`
    // A server that stops, or is not ready yet, is as good as away.
    throw response.status === 503 ? new TypeError(problem) : new Error(problem)
  }
  let text = ''
  try {
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + chunk).split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parse(block)
        if (event !== undefined) yield event
      }
    }
  } finally {
    stop.abort()
  }
}

function parse(block: string): ServerEvent | undefined {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()] as const
    }),
  )
  const data = fields.get('data')
  if (data === undefined) return undefined
  const id = fields.get('id')
  return { event: fields.get('event') ?? 'message', data: JSON.parse(data) as unknown, ...(id !== undefined && { id }) }
}
