// A page with React, as a user of the hook would write it; bundled for the browser by the test.
import { connect, type ConnectOptions, type Conversation } from '@cool-ai/beach-client'
import { useEnvelope, type UsedEnvelope } from '@cool-ai/beach-client/react'
import { createElement as h, StrictMode, useLayoutEffect, type ReactNode } from 'react'
import { createRoot, hydrateRoot, type Root } from 'react-dom/client'
import { flushSync } from 'react-dom'

/** What the test looks at. */
export interface Watched {
  /** Functions that components were given, each counted once. */
  readonly functions: Set<unknown>
  /** Every result that the hook gave, in order. */
  readonly results: UsedEnvelope[]
  /** What two components showed at the same moment, when it differed. */
  readonly torn: string[]
  /** WebSockets that were made and are not closed. */
  sockets: number
  readonly problems: string[]
}

export const watched: Watched = { functions: new Set(), results: [], torn: [], sockets: 0, problems: [] }

class CountedSocket extends WebSocket {
  constructor(url: string | URL, protocols?: string | string[]) {
    super(url, protocols)
    watched.sockets++
    this.addEventListener('close', () => watched.sockets--)
  }
}

export function View({ given, id }: { given: Conversation | ConnectOptions; id: string }): ReactNode {
  const envelope = useEnvelope(given)
  const { parts, pending, connection, turns, send, approve, deny, act, cancel } = envelope
  for (const one of [send, approve, deny, act, cancel]) watched.functions.add(one)
  watched.results.push(envelope)
  return h(
    'section',
    { id },
    h('p', { className: 'connection' }, connection.state),
    h('p', { className: 'running' }, String(turns.filter((turn) => !turn.settled).length)),
    h(
      'ul',
      {},
      parts.map(({ partId, role, text }) => h('li', { key: partId, className: role }, text)),
      pending.map(({ key, parts: [first], state }) => h('li', { key, className: `pending ${state}` }, first?.text)),
    ),
    h('button', { onClick: () => void send(`hello from ${id}`) }, 'send'),
  )
}

/** Two views of one conversation, which must never differ on the screen. */
function Pair({ given }: { given: Conversation }): ReactNode {
  useEnvelope(given)
  useLayoutEffect(() => {
    const [one, other] = ['left', 'right'].map((id) => document.querySelector(`#${id} ul`)?.textContent)
    if (one !== other) watched.torn.push(`${one} | ${other}`)
  })
  return h('main', {}, h(View, { given, id: 'left' }), h(View, { given, id: 'right' }))
}

let root: Root | undefined
const place = () => document.getElementById('root') ?? document.body
const onError = (error: unknown) => void watched.problems.push(String(error))
const handlers = { onRecoverableError: onError, onUncaughtError: onError, onCaughtError: onError }

/** Shows one view that has a conversation of its own; called again, it only draws again. */
export function show(options: ConnectOptions): void {
  root ??= createRoot(place(), handlers)
  const given = { ...options, WebSocket: CountedSocket }
  flushSync(() => root?.render(h(StrictMode, {}, h(View, { given, id: 'view' }))))
}

export function showPair(options: ConnectOptions): void {
  root = createRoot(place(), handlers)
  root.render(h(StrictMode, {}, h(Pair, { given: connect({ ...options, WebSocket: CountedSocket }) })))
}

/** Takes over what the server has written. */
export function hydrate(options: ConnectOptions): void {
  root = hydrateRoot(place(), h(View, { given: options, id: 'view' }), handlers)
}

export function unmount(): void {
  root?.unmount()
  root = undefined
}
