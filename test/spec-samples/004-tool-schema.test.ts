import { partTypes, TurnStateRegistry, turnStates } from '@cool-ai/beach-core'
import { checkRespond, respondTool, respondToolSchemaVersion } from '@cool-ai/beach-llm'
import '@cool-ai/beach-protocol'
import { describe, expect, test } from 'vitest'

// Document 004, "Tool schema" and "Consumer-registered part types". The tool is built from the default registries, as the
// samples register into them.

/** The schema as the document prints it; what is registered stands in it as an enum besides. */
const printed = {
  name: 'respond',
  description:
    'Emit a structured response. This is the ONLY way you produce output. Always call this tool to produce any user-facing or peer-facing text. Never emit free-form text outside this tool. Pass all your output as parts, and set turnState to indicate whether you are done or still working.',
  input_schema: {
    type: 'object',
    required: ['parts', 'turnState'],
    properties: {
      parts: {
        type: 'array',
        description:
          'One or more A2A-style message parts. Each part carries text or data plus a partType metadata tag.',
        minItems: 1,
        items: {
          type: 'object',
          required: ['metadata'],
          properties: {
            text: { type: 'string' },
            data: { type: 'object' },
            metadata: {
              type: 'object',
              required: ['partType'],
              properties: {
                partType: {
                  type: 'string',
                  description:
                    "Registered part type. Validated against @cool-ai/beach-core's PartTypeRegistry (canonical core set plus consumer-registered extensions). See the canonical set below.",
                },
              },
            },
          },
        },
      },
      turnState: {
        type: 'string',
        description:
          "Declare the lifecycle state of this turn. Validated against @cool-ai/beach-core's TurnStateRegistry (canonical core set plus consumer-registered extensions). Canonical values: 'awaiting' (more respond() calls or injections expected), 'complete' (turn settled, envelope emitted if data-bearing), 'clarifying' (terminal; question to user, no envelope), 'error' (terminal failure), 'suspended' (HITL approval pending), 'delegated' (peer-agent call in flight), 'passed' (handed off to another actor — see passTo).",
      },
      passTo: {
        type: 'string',
        description:
          "Optional. When present and turnState is 'passed', names the actor to which this turn is handed off. The session manager begins the next invocation with the named actor, inheriting the mailbox. The receiving actor's tool scope applies. Only valid with turnState: 'passed'.",
      },
      note: {
        type: 'string',
        description: 'Optional free-form note for logs. Not delivered to any consumer.',
      },
    },
  },
}

interface InputSchema {
  readonly properties: {
    readonly turnState: { readonly enum: string[]; readonly description: string }
    readonly parts: {
      readonly items: {
        readonly properties: {
          readonly metadata: { readonly properties: { readonly partType: { enum: string[]; description: string } } }
        }
      }
    }
  }
}

const schema = (): InputSchema => respondTool({ partTypes, turnStates }).input_schema as unknown as InputSchema

/** The tool without the canonical set, which the document prints as tables below the schema. */
function withoutCanonicalSet(tool: unknown): unknown {
  return JSON.parse(JSON.stringify(tool), (key, value: unknown) =>
    key === 'description' && typeof value === 'string' ? value.split('\nCanonical set:')[0] : value,
  )
}

describe('the respond tool', () => {
  test('has every sentence, key and type that the document prints', () => {
    const tool = respondTool({ partTypes, turnStates })
    expect(withoutCanonicalSet(tool)).toMatchObject(printed)
    expect(tool.inputSchema).toBe(tool.input_schema)
    expect([tool.version, respondToolSchemaVersion]).toEqual(['1', '1'])
  })

  test('describes the canonical part types right below the sentence that refers to them', () => {
    const { description, enum: offered } = schema().properties.parts.items.properties.metadata.properties.partType
    const [, below = ''] = description.split('See the canonical set below.\n')
    const described = [...below.matchAll(/'([\w-]+)' \(/g)].map(([, partType]) => partType)
    expect(described).toEqual(offered)
  })

  test('offers exactly the canonical turn states, and says of a registered one what it means', () => {
    const canonical = ['awaiting', 'complete', 'clarifying', 'error', 'suspended', 'delegated', 'passed']
    expect(schema().properties.turnState.enum).toEqual(canonical)
    const registered = TurnStateRegistry.canonical()
    registered.register({ id: 'app.parked', isTerminal: true, emitsEnvelope: false, holdsActor: false })
    const { properties } = respondTool({ partTypes, turnStates: registered }).input_schema as unknown as InputSchema
    expect(properties.turnState.description).toMatch(/ Registered values: 'app\.parked' \(ends the turn\)\.$/)
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
