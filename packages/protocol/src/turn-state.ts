import { BeachError } from '@cool-ai/beach-core'

/** A turn state by either of its names. */
export interface TurnStateNames {
  readonly turnState?: string | undefined
  /** The same as `turnState`, by its other name. */
  readonly conversationState?: string | undefined
}

/** The turn state, whichever name it was given by; an error when the two contradict each other. */
export function turnStateOf({ turnState, conversationState }: TurnStateNames): string | undefined {
  if (turnState !== undefined && conversationState !== undefined && turnState !== conversationState) {
    throw new BeachError(
      'INVALID_STATE',
      `turnState is '${turnState}' and conversationState, which is the same by another name, is '${conversationState}'.`,
    )
  }
  return turnState ?? conversationState
}
