import { useBeach, type UseBeachOptions, type UsedBeach } from '@cool-ai/beach-client/react'
import { actionLabel, type MessageExchange, type PeerNames } from '@cool-ai/beach-client/view'
import {
  createElement as h,
  useEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  type SyntheticEvent,
} from 'react'
import { Answer } from './answer.ts'
import { PlacesContext, useSurfacePlaces } from './surface.ts'

/** The settings of `<Conversation>`, those of `useBeach` included. */
export interface ConversationProps extends UseBeachOptions {
  /** A conversation that is used elsewhere too, from `useBeach()`; one of its own when left out, by the other options. */
  readonly beach?: UsedBeach<unknown> | undefined
  /** What the conversation is called, for all who do not see it; `Conversation` when left out. */
  readonly title?: string | undefined
  readonly placeholder?: string | undefined
  /** Things to say first. */
  readonly suggestions?: readonly string[] | undefined
  readonly className?: string | undefined
  /** Shown above what was said. */
  readonly head?: ReactNode
}

/** A conversation with an agent: what was said, what waits for a decision, and a field to write in. */
export function Conversation({ beach, ...props }: ConversationProps): ReactElement {
  return beach === undefined ? h(OwnConversation, props) : h(ShownConversation, { ...props, beach })
}

function OwnConversation(props: Omit<ConversationProps, 'beach'>): ReactElement {
  return h(ShownConversation, { ...props, beach: useBeach(props) })
}

/** The same object each time: an answer is drawn again only when something of it is another one. */
const noPeers: PeerNames = {}

interface ShownProps extends ConversationProps {
  readonly beach: UsedBeach<unknown>
}

function ShownConversation({ beach, peers = noPeers, url, ...props }: ShownProps): ReactElement {
  const { title = 'Conversation', suggestions = [], className } = props
  const { messages, approvals, surfaces, running, approve, deny, send, act } = beach
  const places = useSurfacePlaces(surfaces, act)
  const scroller = useFollowing(messages)
  const base = url === undefined ? '' : String(url)
  return h(
    PlacesContext.Provider,
    { value: places },
    h(
      'section',
      { className: className === undefined ? 'beach' : `beach ${className}`, 'aria-label': title },
      props.head,
      h(
        'div',
        { className: 'beach-said', ref: scroller, tabIndex: 0, role: 'log', 'aria-label': `${title}: what was said` },
        messages.length === 0 && suggestions.length > 0 && h(Suggestions, { suggestions, send }),
        ...messages.map((message) =>
          message.kind === 'message'
            ? h(Said, { key: message.key, message })
            : h(Answer, { key: message.key, answer: message, approvals, approve, deny, send, peers, base }),
        ),
      ),
      h(Trouble, { beach }),
      h(Composer, { beach, running, placeholder: props.placeholder }),
    ),
  )
}

function Suggestions({ suggestions, send }: Pick<UsedBeach, 'send'> & { readonly suggestions: readonly string[] }) {
  return h(
    'div',
    { className: 'beach-replies' },
    ...suggestions.map((words) =>
      h(
        'button',
        { key: words, type: 'button', className: 'beach-button', onClick: () => void send(words).catch(idle) },
        words,
      ),
    ),
  )
}

/** Something that the user said or did. It is text, and shown as it was typed. */
function Said({ message: { text, part, pending } }: { readonly message: MessageExchange }): ReactElement {
  const said = text === '' && part !== undefined ? actionLabel(part) : text
  return h(
    'div',
    { className: 'beach-mine' },
    h('p', { className: pending === undefined ? 'beach-user' : 'beach-user beach-pending' }, said),
    pending?.state === 'failed' &&
      h(
        'div',
        { className: 'beach-fault' },
        h('p', null, pending.error?.message ?? 'This message could not be sent.'),
        h(
          'button',
          { type: 'button', className: 'beach-button', onClick: () => void pending.retry().catch(idle) },
          'Try again',
        ),
        h('button', { type: 'button', className: 'beach-button', onClick: () => pending.discard() }, 'Discard'),
      ),
  )
}

/** Why nothing comes, as long as that is so. */
function Trouble({ beach }: { readonly beach: UsedBeach<unknown> }): ReactElement {
  const { problem, connection, sessionId, fresh } = beach
  const isAway = sessionId !== undefined && (connection.state === 'waiting' || connection.state === 'offline')
  return h(
    'div',
    { role: 'status' },
    problem !== undefined &&
      h(
        'div',
        { className: 'beach-fault' },
        h('p', null, problem.message),
        h('button', { type: 'button', className: 'beach-button', onClick: fresh }, 'New conversation'),
      ),
    isAway && h('p', { className: 'beach-minor' }, 'The connection is broken. It is tried again.'),
  )
}

interface ComposerProps {
  readonly beach: UsedBeach<unknown>
  readonly running: boolean
  readonly placeholder: string | undefined
}

function Composer({ beach, running, placeholder = 'Write a message' }: ComposerProps): ReactElement {
  const [text, setText] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const send = () => {
    const said = text.trim()
    if (said === '') return
    setText('')
    // What failed stays in sight with its reason; what could not even be begun comes back into the field.
    beach.send(said).catch(() => setText((now) => (now === '' && beach.sessionId === undefined ? said : now)))
  }
  const onSubmit = (event: SyntheticEvent) => {
    event.preventDefault()
    send()
    field.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      send()
    } else if (event.key === 'Escape' && running) void beach.cancel().catch(idle)
  }
  return h(
    'form',
    { className: 'beach-compose', onSubmit },
    h('textarea', {
      ref: field,
      rows: 1,
      value: text,
      placeholder,
      'aria-label': 'Your message',
      onKeyDown,
      onChange: ({ currentTarget }) => setText(currentTarget.value),
    }),
    h('button', { type: 'submit', className: 'beach-button beach-primary' }, 'Send'),
    running &&
      h(
        'button',
        {
          type: 'button',
          className: 'beach-button',
          onClick: () => {
            void beach.cancel().catch(idle)
            // The button is about to vanish, and would take the focus with it.
            field.current?.focus()
          },
        },
        'Stop',
      ),
  )
}

const nearPx = 48

/** Keeps the end in view while it grows, for a reader who is there; one who has scrolled back is left alone. */
function useFollowing(occasion: unknown): React.RefObject<HTMLDivElement | null> {
  const scroller = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  useEffect(() => {
    const area = scroller.current
    if (area === null) return undefined
    const look = () => {
      follows.current = area.scrollHeight - area.scrollTop - area.clientHeight < nearPx
    }
    area.addEventListener('scroll', look, { passive: true })
    return () => area.removeEventListener('scroll', look)
  }, [])
  useEffect(() => {
    if (follows.current) scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
  }, [occasion])
  return scroller
}

const idle = () => {}
