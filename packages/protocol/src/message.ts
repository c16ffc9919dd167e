import type { Part } from '@cool-ai/beach-core'

/** A message in the shape of A2A, whose parts say in their metadata what they are. An envelope is one of an agent. */
export interface Message {
  readonly role: 'user' | 'agent'
  readonly parts: readonly Part[]
}
