import type { ApprovalRequest, EnvelopeStream, StreamPart } from '@cool-ai/beach-protocol'

/** A turn as a test sees it, when it has settled or waits for an approval. */
export interface TestTurn {
  readonly turnId: string
  readonly turnState: string
  /** What the turn answers in words: its `response`, `clarify` and `error` parts, one paragraph each. */
  readonly text: string
  /** All that it has said, in order. */
  readonly parts: readonly StreamPart[]
  /** The approvals that it waits for. */
  readonly approvals: readonly ApprovalRequest[]
  /** False while the turn waits for an approval. */
  readonly settled: boolean
}

const answers: ReadonlySet<string> = new Set(['response', 'clarify', 'error'])

/** The turns of a conversation as they stand now, oldest first. */
export function turnsOf(stream: EnvelopeStream): TestTurn[] {
  return stream.turns.map(({ turnId, turnState = '', settled }) => {
    const parts = stream.parts.filter((part) => part.turnId === turnId && part.role === 'agent')
    const words = parts.filter(({ partType }) => answers.has(partType)).map(({ text = '' }) => text)
    const approvals = parts
      .filter(({ partType }) => partType === 'approval-request')
      .map(({ data }) => data as ApprovalRequest)
      .filter(({ approvalId }) => !stream.approvals.has(approvalId))
    return { turnId, turnState, settled, text: words.join('\n\n'), parts, approvals }
  })
}

/** True when nothing more comes of a turn by itself. */
export function isAtRest({ settled, turnState, approvals }: TestTurn): boolean {
  return settled || (turnState === 'suspended' && approvals.length > 0)
}
