import type { CallState, IsOver } from './call-result.ts'

/** What an answer that nothing can follow comes to, by the turn state that it names; a peer that names none has answered. */
export function answerState(turnState: string | undefined, isOver: IsOver): CallState {
  if (turnState === undefined) return 'complete'
  if (turnState === 'clarifying' || turnState === 'error') return turnState
  return isOver(turnState) ? 'complete' : 'unfinished'
}
