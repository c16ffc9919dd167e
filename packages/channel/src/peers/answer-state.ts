import type { CallState, IsOver } from './call-result.ts'

/**
 * The status of an answer that nothing can follow, by the turn state that it names; a peer that names none has
 * answered.
 */
export function answerState(turnState: string | undefined, isOver: IsOver): CallState {
  if (turnState === undefined) return 'complete'
  if (turnState === 'clarifying' || turnState === 'error') return turnState
  return isOver(turnState) ? 'complete' : 'unfinished'
}
