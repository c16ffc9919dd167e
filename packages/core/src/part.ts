import type { UndeclaredName } from './declared-types.ts'

/** How a part with a slot key joins what already stands in that slot. */
export type MergeStrategy = 'replace' | 'append' | 'deep-merge'

/**
 * The data of every part type by its name; `undefined` for those that have a text instead. The protocol package declares
 * the types of envelopes here, by their schemas. An application declares its own next to their registration:
 *
 *     declare module '@cool-ai/beach-core' {
 *       interface PartTypes { 'ta.map': { places: Place[] } }
 *     }
 */
export interface PartTypes {
  ack: undefined
  thinking: undefined
  response: undefined
  clarify: undefined
  error: undefined
}

/** The name of a part type: a declared one, or one with a namespace. */
export type PartType = keyof PartTypes | UndeclaredName

/** The data of a part type; unknown where it was not declared. */
export type PartData<Type extends PartType> = Type extends keyof PartTypes ? PartTypes[Type] : unknown

/** What a part is, besides its content; further keys are allowed and kept. */
export interface PartMetadata {
  readonly partType: string
  readonly slotKey?: string
  readonly mergeStrategy?: MergeStrategy
  /** The kind of a domain-data part: chooses its surface template. */
  readonly kind?: string
  readonly [key: string]: unknown
}

/** The unit of what actors and people say, in wire form. Its type may be one that is known only at run time. */
export interface Part {
  readonly text?: string
  readonly data?: unknown
  readonly metadata: PartMetadata
}

/** A part as an author may write it: the wire form, or the shorthand with `partType` on the part itself. */
export type AuthoredPart = Part | Shorthand<string, { readonly text?: string; readonly data?: unknown }>

/**
 * A part that an actor or a tool says. A name that stands in the source must be that of a part type, and its text and
 * data are checked by that type. A name that is a mere `string` is one that is known only at run time.
 */
export type SaidPart<Name extends string = PartType, Text = string> =
  | Part
  // The bare name lets the compiler keep it as it is written.
  | ({ readonly partType: Name } & CheckedShorthand<Name, Text>)

type CheckedShorthand<Name extends string, Text> = Name extends PartType
  ? Shorthand<Name, Content<PartData<Name>, Text>>
  : string extends Name
    ? Shorthand<string, Content<unknown, Text>>
    : Shorthand<PartType, Content<unknown, Text>>

type Shorthand<Name, Said> = {
  readonly partType: Name
  readonly metadata?: Readonly<Record<string, unknown>>
} & Said

type Content<Data, Text> = [Data] extends [undefined]
  ? { readonly text: Text; readonly data?: undefined }
  : undefined extends Data
    ? { readonly text?: Text; readonly data?: Data }
    : { readonly text?: Text; readonly data: Data }

/** True for a part of this type; its data has the type's type afterwards. */
export function isPart<Given extends Part, Type extends PartType>(
  part: Given,
  partType: Type,
): part is Given & { readonly data: PartData<Type> } {
  return part.metadata.partType === partType
}

/** A part's id, `turn.step.index`: a step that runs again produces the same ids, so its parts replace the old ones. */
export function partId(turnId: string, step: number, index: number): string {
  return `${turnId}.${step}.${index}`
}

/** The turn and step that a part id names, or undefined for the id of a part that no turn produced. */
export function parsePartId(id: string): { turnId: string; step: number; index: number } | undefined {
  const match = /^(turn_[a-z0-9]+)\.(\d+)\.(\d+)$/.exec(id)
  if (match === null) return undefined
  return { turnId: match[1] ?? '', step: Number(match[2]), index: Number(match[3]) }
}

/**
 * Content of a message that its sender passes on without having written it. Channels mark such parts; actors get them
 * as data, never as the sender's words.
 */
export type OthersContent =
  | 'quoted'
  | 'forwarded'
  | 'subject'
  | 'signature'
  /** Two forms of one message that do not say the same. */
  | 'disagreeing'
  | 'file-name'
  | 'place'
  /** A request for an approval that they were asked to decide. */
  | 'request'

/** A part with content that its sender passes on. */
export function othersPart(text: string, others: OthersContent): Part {
  return { text, metadata: { partType: 'message', origin: { others } } }
}

/** What kind of passed-on content a part is; undefined for a part that its sender has written. */
export function othersContentOf({ metadata: { origin } }: Part): string | undefined {
  if (typeof origin !== 'object' || origin === null || !('others' in origin)) return undefined
  return typeof origin.others === 'string' ? origin.others : 'unknown'
}

/** The other agent that a passed-on part comes from, as it is known here. */
export interface PartOrigin {
  readonly peer: string
  /** The agent's name for people. */
  readonly name?: string
  readonly taskId?: string
  /** The actor of the peer that it is from, by the name that the peer gives. */
  readonly actor?: string
  /** The agent that the peer got it from in turn, by the name that the peer gives. */
  readonly from?: string
  /** For a surface: the conversation with the peer that actions on it go to. */
  readonly conversationId?: string
}

/** The peer whose surface an action was on, and the conversation with it; the session writes it into the metadata. */
export interface ActionTarget {
  readonly peer: string
  readonly conversationId?: string
}

/** The peer that an action is to be passed on to; undefined for an action on a surface of the agent's own. */
export function actionTarget({ metadata: { partType, to } }: Part): ActionTarget | undefined {
  if (partType !== 'a2ui-action' || typeof to !== 'object' || to === null || !('peer' in to)) return undefined
  return typeof to.peer === 'string' ? (to as ActionTarget) : undefined
}

/** The other agent that a part comes from; undefined for a part of its sender's own. */
export function peerOf(part: Pick<Part, 'metadata'>): string | undefined {
  return peerOrigin(part)?.peer
}

/** The same with everything known about its origin. */
export function peerOrigin({ metadata: { origin } }: Pick<Part, 'metadata'>): PartOrigin | undefined {
  const isOfPeer = typeof origin === 'object' && origin !== null && 'peer' in origin && typeof origin.peer === 'string'
  return isOfPeer ? (origin as PartOrigin) : undefined
}
