import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineActor } from '@cool-ai/beach'
import { exposedTools } from '@cool-ai/beach-llm'
import { startAgent } from '@cool-ai/example-kit'
import type { Client } from '@modelcontextprotocol/client'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { coffeeAgent } from '../../examples/coffee/coffee-agent.ts'
import { travelAgent } from '../../examples/travel/travel-agent.ts'
import { everyFieldAgent } from '../intentflow/every-field.ts'
import { connect, runtime, startConcierge } from './support.ts'

/** An example on a port, for one test. */
async function example(agent: Parameters<typeof startAgent>[0]): Promise<Client> {
  const folder = mkdtempSync(join(tmpdir(), 'beach-test-'))
  const running = await startAgent(agent, { port: 0, folder, store: 'memory' })
  onTestFinished(async () => {
    await running.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return connect(new URL('/mcp', running.url), 'modern')
}

/** An agent whose authors have noted this and that in their schemas. */
async function withNotes(): Promise<Client> {
  const tools = exposedTools(
    [
      {
        name: 'room_find',
        description: 'Finds a room.',
        peerExposed: true,
        annotations: { readOnlyHint: true, openWorldHint: false },
        inputSchema: z.object({
          // Its own name is no keyword.
          words: z.string().meta({ words: ['x'], format: 'secret' }),
          at: z.iso.datetime().optional(),
          key: z.cuid2().optional(),
          kind: z.union([z.literal('a'), z.object({ after: z.array(z.number().meta({ rest: true })) })]).optional(),
        }),
        handler: () => 'found',
      },
    ],
    runtime,
  )
  const actor = defineActor(async ({ respond }) => respond({ parts: [], turnState: 'complete' }))
  const { url } = await startConcierge({ actors: { actor }, exposedTools: tools })
  return connect(url, 'modern')
}

const agents: Record<string, () => Promise<Client>> = {
  'the travel agent': () => example(travelAgent),
  'the coffee shop': () => example(coffeeAgent),
  'flows with every field': async () => connect((await startConcierge(everyFieldAgent().beach)).url, 'modern'),
  'tools with notes in their schemas': withNotes,
}

const formats = { 'date-time': true, date: true, time: true, email: true, uri: true, uuid: true } as const

describe.each(Object.entries(agents))('every tool of %s', (_, start) => {
  test('has a title, all hints, and schemas that strict checkers take', async () => {
    const { tools } = await (await start()).listTools()
    expect(tools.length).toBeGreaterThan(1)
    for (const { name, title, annotations, inputSchema, outputSchema } of tools) {
      expect(title, name).toMatch(/^[A-Z]/)
      const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']
      expect(Object.keys(annotations ?? {}).toSorted(), name).toEqual(hints.toSorted())
      for (const schema of [inputSchema, outputSchema ?? {}] as object[]) {
        expect(() => new Ajv({ strict: true, formats }).compile(schema), name).not.toThrow()
        expect(() => new Ajv2020({ strict: true, formats }).compile(schema), name).not.toThrow()
      }
    }
  })
})

test('of a schema only what is no keyword goes, and hints that are given stay', async () => {
  const { tools } = await (await withNotes()).listTools()
  const tool = tools.find(({ name }) => name === 'room_find')
  expect(tool).toMatchObject({
    title: 'Room find',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  })
  expect(tool?.inputSchema).toMatchObject({
    required: ['words'],
    properties: {
      words: { type: 'string' },
      at: { format: 'date-time' },
      key: { pattern: expect.any(String) as string },
      kind: { anyOf: [{ const: 'a' }, { properties: { after: { items: { type: 'number' } } } }] },
    },
  })
  expect(tool?.inputSchema.properties).toHaveProperty(['key'])
  expect(JSON.stringify(tool?.inputSchema)).not.toMatch(/"rest"|secret|cuid/)
})

test('the tool that decides is destructive, the one to talk is not', async () => {
  const { tools } = await (await withNotes()).listTools()
  const hints = tools.slice(0, 2).map(({ annotations }) => annotations)
  const open = { readOnlyHint: false, openWorldHint: true }
  expect(hints).toEqual([
    { ...open, destructiveHint: false, idempotentHint: false },
    { ...open, destructiveHint: true, idempotentHint: true },
  ])
})
