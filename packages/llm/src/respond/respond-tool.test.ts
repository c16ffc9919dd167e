import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { checkSchema, schemaProblems, type JsonSchema } from '@cool-ai/beach-protocol/json-schema'
import { respondTool, respondToolSchemaVersion } from './respond-tool.ts'
import type { RespondOptions } from './respond-options.ts'
import { errorOf, registries } from './respond.test-helper.ts'

/** The schema of a part, when there is only one. */
interface PartSchema {
  readonly properties: {
    readonly metadata: { readonly properties: { readonly partType: { enum: string[]; description: string } } }
    readonly data: JsonSchema
  }
}

interface InputSchema extends JsonSchema {
  readonly properties: {
    readonly turnState: { readonly enum: string[]; readonly description: string }
    readonly passTo?: { readonly enum?: string[] }
    readonly parts: { readonly items: PartSchema & { readonly anyOf?: readonly PartSchema[] } }
  }
}

function inputSchema(options: Partial<RespondOptions> = {}): InputSchema {
  return respondTool({ ...registries(), ...options }).inputSchema as InputSchema
}

function typesIn(schema: PartSchema | undefined): string[] | undefined {
  return schema?.properties.metadata.properties.partType.enum
}

describe('the respond tool', () => {
  test('has a name, a version and a description that says that there is no other way', () => {
    const tool = respondTool(registries())
    expect(tool).toMatchObject({ name: 'respond', version: '1' })
    expect(respondToolSchemaVersion).toBe('1')
    expect(tool.description).toMatch(/only way/i)
    expect(tool.description).toMatch(/never emit free-form text/i)
    expect(tool.description).toContain('turnState')
  })

  test('asks for the type of a part before its text', () => {
    const { properties } = inputSchema()
    expect(Object.keys(properties)).toEqual(['parts', 'turnState', 'passTo', 'note'])
    expect(Object.keys(properties.parts.items.properties)).toEqual(['metadata', 'text', 'data'])
  })

  test('offers what is registered, and nothing that only comes from outside or from the system', () => {
    const { properties } = inputSchema()
    expect(properties.turnState.enum).toEqual([
      'awaiting',
      'complete',
      'clarifying',
      'error',
      'suspended',
      'delegated',
      'passed',
    ])
    const types = typesIn(properties.parts.items)
    expect(types).toEqual(expect.arrayContaining(['ack', 'response', 'domain-data', 'a2ui-surface', 'progress']))
    expect(types).not.toContain('approval-response')
    expect(types).toContain('approval-request')
    const without = inputSchema({ approvable: [] }).properties
    expect(typesIn(without.parts.items)).not.toContain('approval-request')
    expect(without.turnState.enum).not.toContain('suspended')
  })

  test('offers what a consumer has registered, and says what its states mean', () => {
    const { partTypes, turnStates } = registries()
    partTypes.register({ partType: 'ta.map', deliveryRules: { streaming: 'flush', buffered: 'drop' } })
    turnStates.register({ id: 'ta.quoted', isTerminal: true, emitsEnvelope: true, holdsActor: false })
    turnStates.register({ id: 'ta.parked', isTerminal: false, emitsEnvelope: false, holdsActor: true })
    const { properties } = inputSchema({ partTypes, turnStates })
    expect(typesIn(properties.parts.items)).toContain('ta.map')
    expect(properties.turnState.enum.slice(-2)).toEqual(['ta.quoted', 'ta.parked'])
    expect(properties.turnState.description).toContain("'ta.quoted' (ends the turn; an envelope goes out)")
    expect(properties.turnState.description).toContain("'ta.parked' (you keep the turn)")
  })

  test('names the actors that a turn may be passed to', () => {
    expect(inputSchema().properties.passTo?.enum).toBeUndefined()
    expect(inputSchema({ actors: ['drafter'] }).properties.passTo?.enum).toEqual(['drafter'])
    const alone = inputSchema({ actors: [] })
    expect(Object.keys(alone.properties)).toEqual(['parts', 'turnState', 'note'])
    expect(alone.properties.turnState.enum).not.toContain('passed')
  })

  test('shows the data of domain-data and setState parts where it is known', () => {
    const domainDataSchema = { type: 'object', properties: { flights: { type: 'array' } }, required: ['flights'] }
    const { anyOf } = inputSchema({ domainDataSchema, coordinates: ['trip.stage'] }).properties.parts.items
    expect(anyOf).toHaveLength(3)
    expect(typesIn(anyOf?.[0])).not.toContain('domain-data')
    expect(typesIn(anyOf?.[0])).not.toContain('setState')
    expect([typesIn(anyOf?.[1]), anyOf?.[1]?.properties.data]).toEqual([['domain-data'], domainDataSchema])
    expect(Object.keys(anyOf?.[1]?.properties ?? {})).toEqual(['metadata', 'data'])
    expect([typesIn(anyOf?.[2]), anyOf?.[2]?.properties.data]).toEqual([
      ['setState'],
      { type: 'object', properties: { 'trip.stage': { type: 'string' } }, additionalProperties: false },
    ])
    expect(typesIn(inputSchema({ coordinates: [] }).properties.parts.items)).not.toContain('setState')
  })

  test('is plain JSON Schema that says of calls what checkRespond says of them', () => {
    const schema = inputSchema({ domainDataSchema: { type: 'object', required: ['flights'] } })
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema)
    expect(schema.type).toBe('object')
    checkSchema(schema, 'The tool')
    const of = (call: unknown) => schemaProblems(schema, call, 'call').length
    const parts = [{ metadata: { partType: 'response' }, text: 'Hello.' }]
    expect(of({ turnState: 'complete', parts })).toBe(0)
    expect(
      of({ turnState: 'complete', parts: [{ metadata: { partType: 'domain-data' }, data: { flights: [] } }] }),
    ).toBe(0)
    expect(of({ turnState: 'complete', parts: [{ metadata: { partType: 'domain-data' }, data: {} }] })).toBeGreaterThan(
      0,
    )
    expect(of({ turnState: 'finished', parts })).toBeGreaterThan(0)
    expect(of({ turnState: 'complete', parts: [] })).toBeGreaterThan(0)
    expect(of({ turnState: 'complete', parts: [{ metadata: { partType: 'answer' }, text: '.' }] })).toBeGreaterThan(0)
    expect(of({ parts })).toBeGreaterThan(0)
  })
})

describe('a domainDataSchema with references', () => {
  const Leg = z.object({
    from: z.string(),
    get onward() {
      return z.array(Leg).optional()
    },
  })

  test('keeps them when it becomes part of the tool’s schema', () => {
    const domainDataSchema = z.toJSONSchema(z.object({ legs: z.array(Leg) }), { target: 'draft-7' })
    const schema = inputSchema({ domainDataSchema })
    checkSchema(schema, 'The tool')
    expect(JSON.stringify(schema)).not.toContain('$schema')
    const part = (data: unknown) => ({ metadata: { partType: 'domain-data' }, data })
    const good = { legs: [{ from: 'Rome', onward: [{ from: 'Oslo' }] }] }
    const bad = { legs: [{ from: 'Rome', onward: [{ from: 5 }] }] }
    expect(schemaProblems(schema, { turnState: 'complete', parts: [part(good)] }, 'call')).toEqual([])
    expect(schemaProblems(schema, { turnState: 'complete', parts: [part(bad)] }, 'call')).not.toEqual([])
  })

  test('may refer to itself as a whole', () => {
    const domainDataSchema = {
      type: 'object',
      properties: { child: { $ref: '#' }, size: { $ref: '#/properties/count' }, count: { type: 'number' } },
      $defs: { domainData: { type: 'string' } },
    }
    const schema = inputSchema({ domainDataSchema })
    checkSchema(schema, 'The tool')
    const problems = (data: unknown) =>
      schemaProblems(
        schema,
        { turnState: 'complete', parts: [{ metadata: { partType: 'domain-data' }, data }] },
        'call',
      )
    expect(problems({ child: { child: { count: 1, size: 2 } } })).toEqual([])
    expect(problems({ child: { child: { count: 'one' } } })).not.toEqual([])
    expect(problems({ size: 'two' })).not.toEqual([])
  })

  test('outside of itself is refused at start-up', () => {
    for (const $ref of ['https://example.com/schema.json', '#/$defs/Missing', 'other.json#/a', 7]) {
      const domainDataSchema = { type: 'object', properties: { a: { $ref } } }
      const error = errorOf(() => inputSchema({ domainDataSchema }))
      expect(error.code).toBe('INVALID_CONFIGURATION')
      expect(error.message).toBe(`The domainDataSchema refers to ${JSON.stringify($ref)}, which is not in it.`)
    }
  })
})
