import { partTypes, turnStates } from '@cool-ai/beach-core'
import { checkRespond, respondTool, respondToolSchemaVersion } from '@cool-ai/beach-llm'
import '@cool-ai/beach-protocol'
import { describe, expect, test } from 'vitest'

// Document 004, "Tool schema" and "Consumer-registered part types". The tool is built from the default registries, as the
// samples register into them. What the document says in descriptions ("validated against the registry") is here a list of
// what is registered; `data` may also be a list of objects, since slots and A2UI messages can be lists.

interface InputSchema {
  readonly type: string
  readonly required: string[]
  readonly properties: {
    readonly turnState: { type: string; enum: string[]; description: string }
    readonly passTo: { type: string; description: string }
    readonly parts: {
      readonly type: string
      readonly minItems: number
      readonly items: {
        readonly type: string
        readonly required: string[]
        readonly properties: {
          readonly text: unknown
          readonly data: unknown
          readonly metadata: {
            readonly required: string[]
            readonly properties: { readonly partType: { type: string; enum: string[] } }
          }
        }
      }
    }
    readonly note: { type: string; description: string }
  }
}

const schema = (): InputSchema => respondTool({ partTypes, turnStates }).inputSchema as unknown as InputSchema

describe('the respond tool', () => {
  test('is called respond, is the only way to produce output, and is of version 1', () => {
    const { name, description, version } = respondTool({ partTypes, turnStates })
    expect(name).toBe('respond')
    expect(description).toMatch(/structured/)
    expect(description).toMatch(/ONLY way to produce output/)
    expect(description).toMatch(/user or for another agent/)
    expect(description).toMatch(/never write free text outside/)
    expect(description).toMatch(/parts.*turnState tell whether you are done or still at work/)
    expect([version, respondToolSchemaVersion]).toEqual(['1', '1'])
  })

  test('needs parts and a turnState', () => {
    const { type, required, properties } = schema()
    expect(type).toBe('object')
    expect(required.toSorted()).toEqual(['parts', 'turnState'])
    expect(properties.parts).toMatchObject({ type: 'array', minItems: 1 })
    expect(properties.parts.items).toMatchObject({ type: 'object', required: ['metadata'] })
    expect(properties.parts.items.properties.text).toEqual({ type: 'string' })
    expect(properties.parts.items.properties.data).toMatchObject({
      anyOf: expect.arrayContaining([{ type: 'object' }]),
    })
    expect(properties.parts.items.properties.metadata.required).toEqual(['partType'])
  })

  test('names the canonical turn states and what they mean', () => {
    const { turnState } = schema().properties
    const canonical = ['awaiting', 'complete', 'clarifying', 'error', 'suspended', 'delegated', 'passed']
    expect(turnState.enum).toEqual(expect.arrayContaining(canonical))
    for (const state of canonical) expect(turnState.description).toContain(`'${state}' (`)
  })

  test('says that passTo goes with passed only, and that a note is delivered to no listener', () => {
    const { passTo, note } = schema().properties
    expect(passTo.description).toMatch(/'passed' and with no other state/)
    expect(passTo.description).toMatch(/inherits the mailbox/)
    expect(passTo.description).toMatch(/its own tools/)
    expect(note.description).toMatch(/logs/)
  })
})

test('a missing registration fails at the respond() call, and a registered type is in the schema', () => {
  const call = { parts: [{ data: {}, metadata: { partType: 'audio' } }], turnState: 'complete' }
  expect(() => checkRespond(call, { partTypes, turnStates })).toThrow("The part type 'audio' is not registered.")
  partTypes.register({
    id: 'audio',
    isCanonical: false,
    meta: { streamingPreferred: true, buffered: 'dropped', serialisation: 'base64' },
  })
  expect(checkRespond(call, { partTypes, turnStates }).parts).toEqual(call.parts)
  expect(schema().properties.parts.items.properties.metadata.properties.partType.enum).toContain('audio')
})

test('approval-response is inbound only', () => {
  const { partType } = schema().properties.parts.items.properties.metadata.properties
  expect(partType.enum).not.toContain('approval-response')
  const data = { approvalId: 'a', decision: 'granted', decidedAt: '2026-01-01T00:00:00Z' }
  const call = { parts: [{ data, metadata: { partType: 'approval-response' } }], turnState: 'complete' }
  expect(() => checkRespond(call, { partTypes, turnStates })).toThrow('only comes from outside')
})
