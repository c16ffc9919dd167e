import { partTypeRegistry } from '@cool-ai/beach-core'
import '@cool-ai/beach-protocol'
import { expect, test } from 'vitest'

// Document 000, "Canonical part types registered by this package".

const signals = ['ack', 'thinking', 'response', 'clarify', 'error']
const content = ['domain-data', 'llm-context', 'a2ui-surface', 'artifact', 'reasoning-trace', 'citation']
const control = ['approval-request', 'approval-response', 'progress', 'setState']

test('core owns the conversational signals, and loading the protocol package registers the envelope data parts', () => {
  const canonical = partTypeRegistry.entries().filter((entry) => entry.isCanonical)
  const types = canonical.map((entry) => entry.partType)
  // What A2UI's clients send back, and what a reply by number chooses, have no names in the document.
  expect(types.toSorted()).toEqual([...signals, ...content, ...control, 'a2ui-action', 'choice'].toSorted())
})
