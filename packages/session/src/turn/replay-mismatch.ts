import { BeachError } from '@cool-ai/beach-core'

/** An actor that runs again did something else than what the log says it did. */
export function replayMismatch(logged: string, now: string): BeachError {
  return new BeachError(
    'REPLAY_MISMATCH',
    `The log says that this actor did ${logged} here, but it now does ${now}. An actor must do the same again when a turn resumes.`,
  )
}
