import type { ResumeEntry } from '@ag-ui/core'
import type { Frame, Part, Sessions } from '@cool-ai/beach-core'
import type { FramePosition } from '@cool-ai/beach-core/ports'
import type { TakenRun } from './intake.ts'
import type { RunInput } from './run-input.ts'
import type { Thread } from './thread.ts'
import type { ThreadSession } from '@cool-ai/beach-channel/threads'

/** What came of what a run has said to slices. */
export interface SliceReplies {
  /** What each has answered, by its namespace. */
  readonly answers: Readonly<Record<string, unknown>>
  readonly awaits: readonly string[]
  /** True when there is a session: nothing may have come of it in a new thread. */
  readonly exists: boolean
  /** True when the client wants to go on listening. */
  readonly stays: boolean
  readonly parts: readonly Part[]
  /** How things stood before: what has changed since is shown step by step. */
  readonly state?: Extract<Frame, { kind: 'state' }> | undefined
}

/** What a run says to slices, by namespace: `forwardedProps.<ns>`, and answers to what they have asked. */
export function inputForSlices(
  { forwardedProps }: RunInput,
  resumed: readonly { readonly ns: string; readonly entry: ResumeEntry }[],
  handledNamespaces: ReadonlySet<string>,
): ReadonlyMap<string, unknown> {
  const said = new Map<string, unknown>()
  const forwarded: Readonly<Record<string, unknown>> =
    typeof forwardedProps === 'object' && forwardedProps !== null ? forwardedProps : {}
  for (const [ns, value] of Object.entries(forwarded)) if (handledNamespaces.has(ns)) said.set(ns, value)
  for (const { ns } of resumed) {
    const resume = resumed.filter((one) => one.ns === ns).map(({ entry }) => entry)
    const value = said.get(ns)
    said.set(ns, typeof value === 'object' && value !== null ? { ...value, resume } : { resume })
  }
  return said
}

/** Says to each slice what is for it; undefined when there is nothing. */
export async function sendToSlices(
  sessions: Sessions,
  { session, principal }: ThreadSession,
  said: ReadonlyMap<string, unknown>,
): Promise<Omit<SliceReplies, 'state'> | undefined> {
  if (said.size === 0) return undefined
  const reply = await Promise.all(
    [...said].map(async ([ns, value]) => ({ ns, ...(await sessions.handle(session, ns, value, principal, {})) })),
  )
  const stays = reply.some((one) => one.stays === true)
  // A listener of an empty thread waits for the first event.
  if (stays && reply.every(({ seq }) => seq === 0)) await sessions.open({ principal, id: session })
  return {
    answers: Object.fromEntries(reply.flatMap(({ ns, answer }) => (answer === undefined ? [] : [[ns, answer]]))),
    awaits: reply.flatMap(({ awaits = [] }) => awaits),
    exists: stays || reply.some(({ seq }) => seq > 0),
    stays,
    parts: reply.flatMap(({ parts = [] }) => parts),
  }
}

/** How a thread stood before something was said to slices. */
export interface ThreadBefore {
  /** The last event that is known to be before it. */
  readonly seq: number
  readonly state?: Extract<Frame, { kind: 'state' }> | undefined
}

/** Kept apart, because other readers of the thread move it on meanwhile. */
export function before(thread: Thread | undefined): ThreadBefore {
  if (thread?.state === undefined) return { seq: Number(thread?.cursor ?? 0) }
  return { seq: thread.state.seq, state: thread.state }
}

interface Known {
  readonly before: ThreadBefore
  /** True when it has brought nothing else. */
  readonly isAlone: boolean
  readonly shownUpTo: string | undefined
  readonly during: string | undefined
}

/** A run that also shows what slices have done since the client was last told, and waits for what they have not done. */
export function withReplies(taken: TakenRun, made: Omit<SliceReplies, 'state'>, known: Known): TakenRun {
  const { isAlone, shownUpTo, during } = known
  const { seq, state } = known.before
  const replies = { ...made, state }
  if (!isAlone) return { ...taken, replies, from: earliest(taken.from, seq) }
  const nothing: ReadonlySet<string> = new Set()
  const alone = { ...taken, exists: made.exists, awaits: nothing, turns: nothing, rests: false, replies }
  return { ...alone, hides: during ?? taken.hides, from: earliest(shownUpTo ?? taken.from, seq) }
}

/** The earlier of a place and the one after a seq. */
function earliest(from: FramePosition | undefined, seq: number): FramePosition | undefined {
  const after = typeof from === 'object' ? from.from - 1 : Number(from)
  return from === undefined || after <= seq ? from : String(seq)
}
