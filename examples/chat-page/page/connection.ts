import type { EnvelopeStream } from '@cool-ai/beach-protocol/stream'

type Frame = Parameters<EnvelopeStream['apply']>[0]

const kinds = ['part', 'delta', 'retract', 'turn', 'settled'] as const

/** Follows a session into the stream for as long as the page lives; the browser resumes by itself after a drop. */
export function connect(session: string, stream: EnvelopeStream, onState: (online: boolean) => void): () => void {
  let source: EventSource
  let closed = false
  let retry: ReturnType<typeof setTimeout> | undefined
  const open = () => {
    source = new EventSource(`/sessions/${session}/events`)
    source.addEventListener('open', () => onState(true))
    source.addEventListener('error', () => {
      onState(false)
      // The browser gives up when it got an answer that is no stream; a server that is just starting gives such ones.
      if (source.readyState === EventSource.CLOSED && !closed) retry = setTimeout(open, 1_000)
    })
    for (const kind of kinds) {
      source.addEventListener(kind, (event: MessageEvent<string>) => {
        const cursor = event.lastEventId === '' ? {} : { cursor: event.lastEventId }
        stream.apply({ kind, ...cursor, ...(JSON.parse(event.data) as object) } as Frame)
      })
    }
  }
  open()
  return () => {
    closed = true
    clearTimeout(retry)
    source.close()
  }
}

/** Opens a session for this browser. */
export async function openSession(): Promise<string> {
  const response = await persist(() => post('/sessions', {}))
  const { sessionId } = (await response.json()) as { sessionId: string }
  return sessionId
}

/** True unless the server says that the session is not there, or not ours. */
export async function sessionExists(session: string): Promise<boolean> {
  const stop = new AbortController()
  const response = await fetch(`/sessions/${session}/events`, { signal: stop.signal })
  stop.abort()
  return response.status !== 404
}

/** Sends a message, as often as it takes: the key makes all tries one message. */
export async function sendMessage(session: string, text: string, key: string): Promise<void> {
  const body = { parts: [{ text, metadata: { partType: 'message', clientId: key } }] }
  await persist(() => post(`/sessions/${session}/messages`, body, { 'idempotency-key': key }))
}

/** Stops one turn and no other, so that asking late or twice does no harm. */
export async function cancelTurn(session: string, turnId: string): Promise<void> {
  await persist(() => post(`/sessions/${session}/cancel`, { turnId }))
}

/** Decides an approval; the first decision counts, wherever it was made. */
export async function decide(session: string, approvalId: string, decision: 'granted' | 'denied'): Promise<void> {
  await persist(() => post(`/sessions/${session}/approvals/${approvalId}`, { decision }))
}

/** The server understood and said no; trying again is of no use. */
export class Refused extends Error {}

/** Tries until the server has answered; only a refusal ends it otherwise. */
async function persist<Value>(attempt: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (error instanceof Refused) throw error
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
  }
}

async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (response.ok) return response
  const { error } = (await response.json()) as { error: { message: string } }
  if (response.status >= 500 || response.status === 429) throw new Error(error.message)
  throw new Refused(error.message)
}
