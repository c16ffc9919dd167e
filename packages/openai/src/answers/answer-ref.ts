import type { FramePosition } from '@cool-ai/beach-core/ports'

/** What an answer shows: the turn of a message, or what comes of a turn after an event of the log. */
export interface AnswerRef {
  readonly session: string
  /** The seq of the message, or of the last event that the client knows of. */
  readonly from: number
  readonly of: { readonly messageId: string } | { readonly turnId: string }
  /** False for one that its caller did not want to ask for again. */
  readonly isStored: boolean
}

/** A call that an answer ended with: a tool of the client, or a request for an approval. */
export interface CallRef {
  readonly answer: AnswerRef
  readonly kind: 'call' | 'approval'
  readonly id: string
}

const written = /^([a-z0-9]+)_([mntu])([a-z0-9]{1,12})_([a-z0-9]+)$/
const idPrefix = { session: 'sess_', message: 'msg_', turn: 'turn_' } as const

/** An answer as ids have it. It is no secret: a caller sees what is in sessions of its own only. */
export function refText({ session, from, of, isStored }: AnswerRef): string {
  const isMessage = 'messageId' in of
  const kind = isMessage ? (isStored ? 'm' : 'n') : isStored ? 't' : 'u'
  const id = isMessage ? of.messageId.slice(idPrefix.message.length) : of.turnId.slice(idPrefix.turn.length)
  return `${session.slice(idPrefix.session.length)}_${kind}${from.toString(36)}_${id}`
}

function refOf(text: string): AnswerRef | undefined {
  const [, session = '', kind = '', from = '', id = ''] = written.exec(text) ?? []
  if (id === '') return undefined
  const isMessage = kind === 'm' || kind === 'n'
  return {
    session: `${idPrefix.session}${session}`,
    from: Number.parseInt(from, 36),
    of: isMessage ? { messageId: `${idPrefix.message}${id}` } : { turnId: `${idPrefix.turn}${id}` },
    isStored: kind === 'm' || kind === 't',
  }
}

/** A call's id names the answer that it is in, so that clients which send nothing else can go on with it. */
export function callIdOf({ answer, kind, id }: CallRef): string {
  return `call_${refText(answer)}_${kind === 'call' ? 'c' : 'a'}${Buffer.from(id).toString('hex')}`
}

/** The call that an id names; undefined for what is no such id. */
export function parseCallId(id: string): CallRef | undefined {
  const [, text = '', kind, inner = ''] = /^call_(.+)_([ac])((?:[0-9a-f]{2}){1,300})$/.exec(id) ?? []
  const answer = refOf(text)
  if (answer === undefined) return undefined
  return { answer, kind: kind === 'c' ? 'call' : 'approval', id: Buffer.from(inner, 'hex').toString() }
}

/** Where in its session an answer begins. */
export function positionOf({ from, of }: AnswerRef): FramePosition {
  return 'messageId' in of ? { from } : String(from)
}
