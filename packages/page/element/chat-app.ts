import { useBeach } from '@cool-ai/beach-client/react'
import { Conversation } from '@cool-ai/beach-react'
import { createElement as h, useEffect, type ReactElement } from 'react'
import type { AgentAbout } from './agent-about.ts'
import { useAgent } from './use-agent.ts'

/** Says something for the user. */
export type Send = (text: string) => Promise<unknown>

export interface ChatAppProps {
  /** The agent's address. */
  readonly agent: string
  /** Keeps this conversation apart from others that the page has with the agent. */
  readonly conversation: string | undefined
  readonly label: string | undefined
  readonly placeholder: string | undefined
  readonly suggestions: readonly string[] | undefined
  readonly token: string | undefined
  /** Called when something can be said, and when it no longer can. */
  readonly onSend: (send: Send | undefined) => void
}

/** What the element shows: the conversation once the agent has said that this page may have one, and until then why not. */
export function ChatApp(props: ChatAppProps): ReactElement {
  const { agent, label } = props
  const { url, about, problem } = useAgent(agent)
  if (url !== undefined && about !== undefined) return h(Chat, { ...props, key: url, agent: url, about })
  return h(
    'section',
    { className: 'beach beach-chat', 'aria-label': label ?? 'Chat' },
    problem === undefined
      ? h('p', { className: 'beach-minor', role: 'status' }, 'Connecting…')
      : h(
          'div',
          { className: 'beach-fault', role: 'alert' },
          h('p', null, problem.isLasting ? 'This chat does not work here.' : 'This chat cannot be reached just now.'),
          h('p', { className: 'beach-plain' }, problem.message),
        ),
  )
}

function Chat(props: ChatAppProps & { readonly about: AgentAbout }): ReactElement {
  const { agent, about, conversation, placeholder, token, onSend } = props
  const { label = about.name, suggestions = about.suggestions } = props
  const { peers } = about
  const beach = useBeach({ url: agent, token, peers, remember: conversation ?? true })
  const { send, fresh, sessionId } = beach
  useEffect(() => {
    onSend(send)
    return () => onSend(undefined)
  }, [send])
  return h(Conversation, {
    beach,
    url: agent,
    peers,
    placeholder,
    suggestions,
    title: label,
    className: 'beach-chat',
    head: h(
      'div',
      { className: 'beach-head' },
      h('p', null, label),
      sessionId !== undefined &&
        h('button', { type: 'button', className: 'beach-button', onClick: fresh }, 'New conversation'),
    ),
  })
}
