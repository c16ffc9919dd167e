import {
  BeachError,
  type ApprovalAnswer,
  type Decided,
  type ErrorCode,
  type Inbound,
  type Posted,
  type Principal,
  type Sessions,
} from '@cool-ai/beach-core'

/** What became of a message: it was posted, or it was the press of a button that decides an approval. */
export type Taken = { readonly posted: Posted } | { readonly decided: ApprovalAnswer }

const undecided: Readonly<Partial<Record<Decided, [ErrorCode, string]>>> = {
  already: ['ALREADY_DECIDED', 'This approval has already been decided, or its turn is over.'],
  expired: ['EXPIRED', 'This approval has expired; it counts as denied.'],
  notFound: ['NOT_FOUND', 'There is no such approval, or it is not yours to decide.'],
}

/** Takes in what somebody sends, as a message or, from the surface of an approval, as a decision. */
export async function takeMessage(
  sessions: Sessions,
  session: string,
  message: Inbound,
  by: Principal,
): Promise<Taken> {
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
