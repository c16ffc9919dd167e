import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { AgentError } from './reliability/agent-error.ts'
import { connect } from './connect.ts'
import { nothingYet, type ConnectOptions, type Conversation, type Snapshot } from './conversation.ts'

type Actions = Pick<Conversation, 'send' | 'approve' | 'deny' | 'act' | 'cancel'>

/** A conversation as a component has it: what it shows, and what its user can do. */
export interface UsedEnvelope extends Snapshot, Actions {}

/**
 * Shows a conversation, and draws again whenever something of it changes. With options the component has a conversation
 * of its own, from when it is mounted until it is unmounted, or the address, the session or the token is another one.
 */
export function useEnvelope(given: Conversation | ConnectOptions): UsedEnvelope {
  const shared = 'stream' in given ? given : undefined
  const [own, actions] = useOwn('stream' in given ? undefined : given)
  const conversation = shared ?? own
  const subscribe = useCallback((changed: () => void) => conversation?.on('change', changed) ?? idle, [conversation])
  const current = useCallback(() => conversation?.snapshot ?? nothingYet, [conversation])
  const snapshot = useSyncExternalStore(subscribe, current, () => nothingYet)
  const { send, approve, deny, act, cancel } = shared ?? actions
  return useMemo(
    () => ({ ...snapshot, send, approve, deny, act, cancel }),
    [snapshot, send, approve, deny, act, cancel],
  )
}

/** The component's own conversation, once it is mounted, and actions that stay the same functions throughout. */
function useOwn(options: ConnectOptions | undefined): readonly [Conversation | undefined, Actions] {
  const [own, setOwn] = useState<Conversation>()
  const ref = useRef<Conversation>(undefined)
  const [actions] = useState(() => actionsOf(() => ref.current))
  const { sessionId, url, token, via } = options ?? {}
  useEffect(() => {
    if (options === undefined) return undefined
    const conversation = connect(options)
    ref.current = conversation
    setOwn(conversation)
    return () => {
      ref.current = undefined
      conversation.close()
    }
    // The functions among the options are often written in place: a new one is no reason to connect anew.
  }, [sessionId, url === undefined ? url : String(url), token, via])
  // Until the effect has run, what is there may be of another session.
  return [own?.sessionId === sessionId ? own : undefined, actions]
}

function actionsOf(conversation: () => Conversation | undefined): Actions {
  const mounted = async (): Promise<Conversation> => {
    const found = conversation()
    if (found === undefined)
      throw new AgentError('INVALID_STATE', 'This can be done only while the component is mounted.')
    return found
  }
  return {
    send: async (...args) => (await mounted()).send(...args),
    approve: async (...args) => (await mounted()).approve(...args),
    deny: async (...args) => (await mounted()).deny(...args),
    act: async (...args) => (await mounted()).act(...args),
    cancel: async (...args) => (await mounted()).cancel(...args),
  }
}

const idle = () => {}
