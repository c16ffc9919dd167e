import type { FramePosition } from '@cool-ai/beach-core/ports'

/** What an answer shows: the turn of a message, or what comes of a turn after an event of the log. */
export interface AnswerRef extends AnswerTerms {
  readonly session: string
  /** The seq of the message, or of the last event that the client knows of. */
  readonly from: number
  readonly of: { readonly messageId: string } | { readonly turnId: string }
}

/** How a client wants its answer, also when it asks for it again. */
export interface AnswerTerms {
  /** False for one that is not asked for again. */
  readonly isStored: boolean
  /** True for a client that takes requests for approvals as calls. */
  readonly decides: boolean
  /** True for an answer in the background: closing a connection stops nothing. */
  readonly isDetached: boolean
  /** True for an answer that is JSON. */
  readonly isJson: boolean
}

/** A call that an answer ended with: a tool of the client, or a request for an approval. */
export interface CallRef {
  readonly answer: AnswerRef
  readonly kind: 'call' | 'approval'
  readonly id: string
}

const written = /^([a-z0-9]+)_([0-9a-v])([a-z0-9]{1,10})_([a-z0-9]+)$/
const idPrefix = { session: 'sess_', message: 'msg_', turn: 'turn_' } as const

/** An answer as ids have it. It is no secret: a caller sees what is in sessions of its own only. */
export function refText({ session, from, of, ...terms }: AnswerRef): string {
  const isMessage = 'messageId' in of
  const id = isMessage ? of.messageId.slice(idPrefix.message.length) : of.turnId.slice(idPrefix.turn.length)
  const flags = [isMessage, terms.isStored, terms.decides, terms.isDetached, terms.isJson]
  const mark = flags.reduce((sum, flag, at) => sum + (flag ? 2 ** at : 0), 0).toString(32)
  return `${session.slice(idPrefix.session.length)}_${mark}${from.toString(36)}_${id}`
}

function refOf(text: string): AnswerRef | undefined {
  const [, session = '', mark = '', from = '', id = ''] = written.exec(text) ?? []
  if (id === '') return undefined
  const flags = Number.parseInt(mark, 32)
  const has = (at: number) => Math.floor(flags / 2 ** at) % 2 === 1
  return {
    session: `${idPrefix.session}${session}`,
    from: Number.parseInt(from, 36),
    of: has(0) ? { messageId: `${idPrefix.message}${id}` } : { turnId: `${idPrefix.turn}${id}` },
    isStored: has(1),
    decides: has(2),
    isDetached: has(3),
    isJson: has(4),
  }
}

/** The id of a response. */
export function responseId(ref: AnswerRef): string {
  return `resp_${refText(ref)}`
}

/** The answer that a response's id names; undefined for what is no such id. */
export function parseResponseId(id: string): AnswerRef | undefined {
  return id.startsWith('resp_') ? refOf(id.slice(5)) : undefined
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
