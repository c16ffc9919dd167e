import { EventType, type Event, type Message, type Metadata } from '@ag-ui/core'
import type { PartOrigin } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { ClientCalls } from './client-calls.ts'
import { ClientText } from './client-text.ts'
import { resultIdOf, type TextKind } from './text-kind.ts'

/** What is known of a text when it begins. */
export interface TextStart {
  readonly id: string
  readonly kind: TextKind
  readonly partType: string
  /** The peer whose words they are. */
  readonly origin?: PartOrigin | undefined
}

/**
 * The messages that the client has, and the events that bring it those it lacks. A client only ever appends to a
 * message. So a text that turns out otherwise is put right with a snapshot of all messages; one that comes a second time,
 * after a crash or because the run is read again, goes on where the client's copy ends.
 */
export class Transcript {
  readonly #before: readonly Message[]
  readonly #texts = new Map<string, ClientText>()
  /** What the client has from this run, in its order: the texts that it holds, and other messages as they are. */
  readonly #added = new Map<string, Message | undefined>()
  readonly #calls = new ClientCalls()

  constructor(messages: readonly Message[]) {
    this.#before = messages
    for (const message of messages) {
      this.#calls.read(message)
      const { id, role } = message
      const { content = '' } = message
      if ((role !== 'assistant' && role !== 'reasoning') || typeof content !== 'string') continue
      this.#texts.set(id, new ClientText(role === 'assistant' ? 'text' : 'reasoning', content))
    }
  }

  grow(place: TextStart, offset: number, piece: string): Event[] {
    const held = this.#held(place)
    const events: Event[] = []
    switch (held.append(offset, piece)) {
      case 'goes on':
        events.push(...this.#open(place, held), contentOf(place, held.take()))
        break
      case 'differs':
        events.push(...this.#remove([place.id]), ...this.#open(place, held), contentOf(place, held.take()))
        break
      case 'nothing new':
        break
    }
    return events
  }

  complete(place: TextStart, text: string, metadata?: Metadata): Event[] {
    const held = this.#held(place)
    held.metadata = metadata
    const outcome = held.replaceAll(text)
    if (outcome === 'differs') {
      const closed = this.#close(place.id, held)
      held.take()
      return [...closed, this.#snapshot()]
    }
    const rest = outcome === 'goes on' ? held.take() : ''
    if (rest === '') return this.#close(place.id, held, metadata)
    return [...this.#open(place, held), contentOf(place, rest), ...this.#close(place.id, held, metadata)]
  }

  /** What a participant has said elsewhere. */
  add(id: string, text: string): Event[] {
    if (this.has(id)) return []
    this.#added.set(id, { id, role: 'user', content: text })
    return [
      { type: EventType.TEXT_MESSAGE_START, messageId: id, role: 'user' },
      { type: EventType.TEXT_MESSAGE_CONTENT, messageId: id, delta: text },
      { type: EventType.TEXT_MESSAGE_END, messageId: id },
    ]
  }

  has(id: string): boolean {
    return this.#before.some((message) => message.id === id) || this.#added.has(id) || this.#texts.has(id)
  }

  /** True for a call that the client has. */
  hasCall(callId: string): boolean {
    return this.#calls.has(callId)
  }

  /** A call of a tool, whole. */
  call(callId: string, name: string, args: string): Event[] {
    if (!this.#calls.begin(callId)) return []
    const made = { id: callId, type: 'function' as const, function: { name, arguments: args } }
    this.#added.set(callId, { id: callId, role: 'assistant', toolCalls: [made] })
    return [
      { type: EventType.TOOL_CALL_START, toolCallId: callId, toolCallName: name },
      { type: EventType.TOOL_CALL_ARGS, toolCallId: callId, delta: args },
      { type: EventType.TOOL_CALL_END, toolCallId: callId },
    ]
  }

  /** A call that the client has from before: its arguments stay as they are. */
  repeatCall(callId: string, name: string): Event[] {
    if (this.#added.has(callId) || !this.#calls.open.includes(callId)) return []
    return [
      { type: EventType.TOOL_CALL_START, toolCallId: callId, toolCallName: name },
      { type: EventType.TOOL_CALL_END, toolCallId: callId },
    ]
  }

  /** What came of a call; one that the client has brought itself it has. */
  result(callId: string, content: string): Event[] {
    if (!this.#calls.end(callId)) return []
    const messageId = resultIdOf(callId)
    this.#added.set(messageId, { id: messageId, role: 'tool', toolCallId: callId, content })
    return [{ type: EventType.TOOL_CALL_RESULT, messageId, toolCallId: callId, content, role: 'tool' }]
  }

  /** The calls of a turn that the client has without what came of them. */
  openCalls(turnId: string): readonly string[] {
    return this.#calls.open.filter((callId) => callId.startsWith(`${turnId}.`))
  }

  /** These texts begin anew: what the client has of them stays until it is known whether it was right. */
  restart(ids: readonly string[]): void {
    for (const id of ids) this.#texts.get(id)?.restart()
  }

  /** These texts never were: takes them back where the client has any of them. */
  retract(ids: readonly string[]): Event[] {
    const events = this.#remove(ids)
    this.restart(ids)
    return events
  }

  closeAll(): Event[] {
    return [...this.#texts].flatMap(([id, held]) => this.#close(id, held))
  }

  #held({ id, kind }: TextStart): ClientText {
    const held = this.#texts.get(id) ?? new ClientText(kind)
    if (!this.has(id)) this.#added.set(id, undefined)
    this.#texts.set(id, held)
    return held
  }

  #open({ id: messageId, kind, partType, origin }: TextStart, held: ClientText): Event[] {
    if (held.isOpen) return []
    held.isOpen = true
    const metadata = { partType, ...defined({ origin }) }
    held.metadata ??= metadata
    held.author ??= origin && (origin.name ?? origin.peer)
    const name = held.author === undefined ? {} : { name: held.author }
    if (kind === 'text')
      return [{ type: EventType.TEXT_MESSAGE_START, messageId, role: 'assistant', ...name, metadata }]
    return [
      { type: EventType.REASONING_START, messageId },
      { type: EventType.REASONING_MESSAGE_START, messageId, role: 'reasoning', metadata },
    ]
  }

  #close(messageId: string, held: ClientText, metadata?: Metadata): Event[] {
    if (!held.isOpen) return []
    held.isOpen = false
    const more = metadata === undefined ? {} : { metadata }
    if (held.kind === 'text') return [{ type: EventType.TEXT_MESSAGE_END, messageId, ...more }]
    return [
      { type: EventType.REASONING_MESSAGE_END, messageId, ...more },
      { type: EventType.REASONING_END, messageId },
    ]
  }

  #remove(ids: readonly string[]): Event[] {
    const events: Event[] = []
    let isShown = false
    for (const id of ids) {
      const held = this.#texts.get(id)
      if (held === undefined) continue
      events.push(...this.#close(id, held))
      isShown ||= held.shown !== ''
      held.forget()
    }
    return isShown ? [...events, this.#snapshot()] : events
  }

  #text(id: string): Message[] {
    const held = this.#texts.get(id)
    if (held === undefined || held.isGone) return []
    const { kind, shown: content, metadata, author } = held
    const said = { id, content, ...defined({ metadata }) }
    if (kind !== 'text') return [{ ...said, role: 'reasoning' }]
    return [{ ...said, role: 'assistant', ...defined({ name: author }) }]
  }

  /** All messages as the client should have them; those that are gone are left out. */
  #snapshot(): Event {
    const kept = this.#before.flatMap((message): Message[] => {
      const held = this.#texts.get(message.id)
      if (held === undefined || held.shown === (message.content ?? '')) return [message]
      return held.isGone ? [] : [{ ...message, content: held.shown } as Message]
    })
    const added = [...this.#added].flatMap(([id, message]) => message ?? this.#text(id))
    return { type: EventType.MESSAGES_SNAPSHOT, messages: [...kept, ...added] }
  }
}

function contentOf({ id: messageId, kind }: TextStart, delta: string): Event {
  const type = kind === 'text' ? EventType.TEXT_MESSAGE_CONTENT : EventType.REASONING_MESSAGE_CONTENT
  return { type, messageId, delta }
}
