import type { Frame, Originator } from '@cool-ai/beach-core'

type CallFrame = Extract<Frame, { kind: 'call' | 'result' }>

/**
 * What a listener is shown of a call: arguments and results can have secrets of the agent in them, and of others. Only what
 * its own client runs is always its own.
 */
export function shownCall(frame: CallFrame, { id, toolCalls }: Originator): CallFrame | undefined {
  if (toolCalls === undefined) return undefined
  if (toolCalls === 'full' || frame.client === id) return frame
  if (toolCalls === 'off') return undefined
  if (frame.kind === 'call') {
    const { args: _, ...named } = frame
    return named
  }
  const { value: _, ...ended } = frame
  return ended
}
