import { useEffect, useMemo, useSyncExternalStore } from 'react'
import type { Conversation } from './conversation.ts'
import {
  emptySnapshot,
  HeldConversation,
  type BeachSnapshot,
  type HeldConversationOptions,
} from './held-conversation.ts'
import { RememberedSession } from './remembered-session.ts'

/** What shows flows, such as a `FlowClient` of `@intentflow/core/client`. */
export interface FlowSource<Flows> {
  readonly getSnapshot: () => Flows
  readonly subscribe: (listener: () => void) => () => void
}

/** The settings of `useBeach`. */
export interface UseBeachOptions<Flows = undefined> extends HeldConversationOptions {
  /**
   * Whether the browser goes on with the conversation after a reload, by its `localStorage`; true when left out. A name keeps
   * several conversations with one agent apart.
   */
  readonly remember?: boolean | string | undefined
  /** Shows the flows of a conversation, as `flows`. */
  readonly flows?: FlowSource<Flows> | undefined
}

type Actions = Pick<HeldConversation, 'send' | 'approve' | 'deny' | 'act' | 'cancel' | 'fresh'>

/** A conversation as a component has it: what it shows, and what its user can do. The functions stay the same. */
export interface UsedBeach<Flows = undefined> extends BeachSnapshot, Actions {
  readonly flows: Flows | undefined
  /** The conversation itself, for all else that it can do; absent before the first message of a new one. */
  readonly conversation: Conversation | undefined
}

/**
 * Holds a conversation with an agent: it goes on with the one that this browser had, or begins with the first message. On a
 * server, and until the browser has taken over, it shows the beginning and connects to nothing.
 */
export function useBeach<Flows = undefined>(options: UseBeachOptions<Flows> = {}): UsedBeach<Flows> {
  const { url, sessionId, token, via, remember = true, flows } = options
  const address = url === undefined ? '' : String(url)
  // The functions and objects among the options are often written in place: new ones are no reason to connect anew.
  const held = useMemo(
    () => new HeldConversation(options, rememberedAt(address, remember)),
    [address, sessionId, token, via, remember],
  )
  useEffect(() => {
    held.start()
    return () => held.stop()
  }, [held])
  const snapshot = useSyncExternalStore(held.subscribe, held.snapshot, () => emptySnapshot)
  const shown = useSyncExternalStore(
    flows?.subscribe ?? idle,
    flows?.getSnapshot ?? nothing,
    flows?.getSnapshot ?? nothing,
  )
  return useMemo(() => {
    const { send, approve, deny, act, cancel, fresh, conversation } = held
    return { ...snapshot, send, approve, deny, act, cancel, fresh, conversation, flows: shown }
  }, [held, snapshot, shown])
}

function rememberedAt(address: string, remember: boolean | string): RememberedSession {
  const place = typeof remember === 'string' ? `${address} ${remember}` : address
  return new RememberedSession(place, remember === false ? undefined : storage())
}

/** The browser's storage; none on a server, and where the browser forbids it. */
function storage(): Storage | undefined {
  try {
    return (globalThis as { localStorage?: Storage }).localStorage
  } catch {
    return undefined
  }
}

const idle = () => () => {}
const nothing = () => undefined
