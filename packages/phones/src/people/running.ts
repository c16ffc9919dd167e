import { BeachError, type Sessions } from '@cool-ai/beach-core'

/** The sessions of a channel that has been started. */
export function running(sessions: Sessions | undefined): Sessions {
  if (sessions === undefined) throw new BeachError('INTERNAL', 'The channel has not been started.')
  return sessions
}
