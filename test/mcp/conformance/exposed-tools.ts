import { BeachError, type PlainTool } from '@cool-ai/beach-core'

const nothing = { type: 'object', properties: {} }

/** The suite's tools that an agent offers as its own, by `exposedTools`. */
export const exposedTools: readonly PlainTool[] = [
  {
    name: 'test_simple_text',
    description: 'Returns a text.',
    inputSchema: nothing,
    handler: () => 'This is a simple text response for testing.',
  },
  {
    name: 'test_error_handling',
    description: 'Fails.',
    inputSchema: nothing,
    handler: () => {
      throw new BeachError('BAD_REQUEST', 'This tool intentionally returns an error for testing')
    },
  },
  {
    name: 'test_tool_with_progress',
    description: 'Tells how far it has come.',
    inputSchema: nothing,
    handler: async (_, { emit }) => {
      for (const done of [0, 50, 100]) {
        await emit([{ partType: 'progress', data: { label: 'Steps', done, total: 100 } }])
      }
      return 'Progressed.'
    },
  },
  {
    name: 'json_schema_2020_12_tool',
    description: 'Tool with JSON Schema 2020-12 features',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema.
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    handler: () => 'Taken.',
  },
  {
    name: 'greet',
    description: 'Greets at once.',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    handler: (input) => `Hello, ${(input as { name?: string }).name}!`,
  },
]
