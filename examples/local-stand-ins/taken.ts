import { BeachError } from '@cool-ai/beach-core'

/** Runs what gives a message to the agent; an error with a sentence for the person when the agent does not take it. */
export async function taken(write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new BeachError('UNREACHABLE', `The message was not accepted: ${reason}`, { cause })
  }
}
