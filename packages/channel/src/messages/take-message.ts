import { BeachError, type ErrorCode, type Inbound, type Part, type Principal, type Sessions } from '@cool-ai/beach-core'
import type { ApprovalAnswer, Decided, PostResult } from '@cool-ai/beach-core/ports'

/** What became of a message: it was posted, it decided an approval by the press of a button, or it was for a slice. */
export type Taken =
  | { readonly posted: PostResult }
  | { readonly decided: ApprovalAnswer }
  | { readonly heard: unknown; readonly seq: number }

const undecided: Readonly<Partial<Record<Decided, [ErrorCode, string]>>> = {
  already: ['ALREADY_DECIDED', 'This approval has already been decided, or its turn is over.'],
  expired: ['EXPIRED', 'This approval has expired; it counts as denied.'],
  notFound: ['NOT_FOUND', 'There is no such approval, or it is not yours to decide.'],
}

/** The reply to its sender. */
export function takenBody(taken: Taken): unknown {
  if ('posted' in taken) return taken.posted
  return 'heard' in taken ? taken : { status: 'decided', ...taken.decided }
}

/** Takes in what a caller sends: a message, a decision from the surface of an approval, or something for a slice. */
export async function takeMessage(
  sessions: Sessions,
  session: string,
  message: Inbound,
  by: Principal,
): Promise<Taken> {
  const ns = namespaceOf(message.parts, sessions.handledNamespaces)
  if (ns !== undefined) {
    const { answer, seq } = await sessions.handle(session, ns, { events: message.parts.map(customEvent) }, by)
    return { heard: answer, seq }
  }
  const decided = await sessions.decisionIn(session, message.parts, by)
  if (decided === undefined) return { posted: await sessions.post(session, message, by) }
  await decideApproval(sessions, session, decided, by)
  return { decided }
}

/** Decides an approval, of this session if one is given; that it cannot be decided any more is an error that says why. */
export async function decideApproval(
  sessions: Sessions,
  session: string | undefined,
  { approvalId, ...decision }: ApprovalAnswer,
  by: Principal,
): Promise<void> {
  const problem = undecided[await sessions.decide(approvalId, decision, by, session)]
  if (problem !== undefined) throw new BeachError(...problem)
}

/** The slice that parts are for, by the namespace of their type. */
function namespaceOf(parts: readonly Part[], handledNamespaces: ReadonlySet<string>): string | undefined {
  if (handledNamespaces.size === 0) return undefined
  const all = new Set(parts.map(({ metadata }) => metadata.partType.split('.', 1)[0] ?? ''))
  const ns = [...all].find((one) => handledNamespaces.has(one))
  if (ns !== undefined && all.size > 1) {
    throw new BeachError('BAD_REQUEST', `What is for '${ns}' is no message: send its parts alone.`)
  }
  return ns
}

/** A part as it is said to a slice: the same as by AG-UI. */
function customEvent({ text, data, metadata }: Part) {
  return { type: 'CUSTOM', name: metadata.partType, value: data ?? text ?? null }
}
