import { PartTypeRegistry, simulatedRuntime, TurnStateRegistry, type Frame, type Originator } from '@cool-ai/beach-core'
import { SessionTurnManager } from '@cool-ai/beach-session'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { scriptedModel, type ScriptedMessage } from '../models/scripted-model.ts'
import type { LlmActorConfig } from './config.ts'
import { llmActor } from './llm-actor.ts'

const alice = { kind: 'user', id: 'alice', tenant: 't' } as const
const viewer: Originator = { id: 'v', transport: 'sse', deliveryClass: 'streaming', principal: alice }
const invoice = z.object({
  number: z.int(),
  total: z.number().refine((total) => total > 0, 'The total is more than nothing.'),
  currency: z.string().default('GBP'),
})
const words = { metadata: { partType: 'response' }, text: 'Here it is.' }
const result = (data: unknown) => ({ metadata: { partType: 'domain-data' }, data })
const answer = (...parts: object[]) => ({ respond: { turnState: 'complete', parts } })

/** What one message was answered, and what the model was told meanwhile. */
async function asked(messages: readonly ScriptedMessage[], config: Partial<LlmActorConfig> = {}) {
  const runtime = simulatedRuntime()
  const store = new MemoryStore({ runtime })
  const [partTypes, turnStates] = [PartTypeRegistry.canonical(), TurnStateRegistry.canonical()]
  const scripted = scriptedModel({
    rules: [
      { say: ({ step }) => messages[step] ?? answer({ metadata: { partType: 'error' }, text: 'The script is over.' }) },
    ],
  })
  const prompts: string[] = []
  const tools: unknown[] = []
  const model = {
    ...scripted,
    doStream: (options: Parameters<typeof scripted.doStream>[0]) => {
      prompts.push(JSON.stringify(options.prompt))
      tools.push(...(options.tools ?? []))
      return scripted.doStream(options)
    },
  }
  const base = { name: 'clerk', instructions: 'You read invoices.', runtime, partTypes, turnStates }
  const actor = llmActor({ output: invoice, ...base, ...config, model })
  const sessions = new SessionTurnManager({ store, runtime, partTypes, turnStates, actors: { clerk: actor } })
  sessions.start()
  const session = await sessions.open({ principal: alice })
  const sent = { parts: [{ text: 'read it', metadata: { partType: 'message' } }], from: viewer }
  const { seq } = await sessions.post(session, sent, alice)
  const frames: Frame[] = []
  const end = new AbortController()
  for await (const frame of sessions.follow(session, viewer, String(seq), end.signal)) {
    frames.push(frame)
    if (frame.kind === 'settled') break
  }
  end.abort()
  await sessions.stop()
  const parts = frames.flatMap((frame) => (frame.kind === 'part' ? [frame.part] : []))
  const data = parts.filter(({ metadata }) => metadata.partType === 'domain-data')
  const errors = parts.filter(({ metadata }) => metadata.partType === 'error')
  return { data, errors, prompts, tools }
}

test('an answer with a result that fits is taken, with its defaults and its kind', async () => {
  const { data, prompts, tools } = await asked([answer(words, result({ number: 7, total: 20 }))], {
    outputKind: 'invoice',
  })
  expect(data).toMatchObject([{ data: { number: 7, total: 20, currency: 'GBP' }, metadata: { kind: 'invoice' } }])
  expect(prompts).toHaveLength(1)
  expect(JSON.stringify(tools)).toContain('"currency"')
})

test.each([
  ['without a result', answer(words), 'The answer needs its result'],
  ['with a field of another type', answer(words, result({ number: 'seven', total: 20 })), 'parts[1]: data: number'],
  ['that a rule of the schema refuses', answer(result({ number: 7, total: 0 })), 'The total is more than nothing.'],
])('an answer %s goes back to the model, which is told what is wrong', async (_, wrong, problem) => {
  const { data, errors, prompts } = await asked([wrong, answer(words, result({ number: 7, total: 20 }))])
  expect(prompts).toHaveLength(2)
  expect(prompts[1]).toContain(problem)
  expect(data).toHaveLength(1)
  expect(errors).toEqual([])
})

test('a model that never gets it right ends with an error, after three corrections', async () => {
  const { data, errors, prompts } = await asked(Array.from({ length: 9 }, () => answer(words, result({ number: 'x' }))))
  expect(prompts).toHaveLength(4)
  expect(data).toEqual([])
  expect(errors).toMatchObject([{ metadata: { code: 'INVALID_RESPOND' } }])
})

test('a result that was said earlier in the turn counts, and a question needs none', async () => {
  const early = { respond: { turnState: 'awaiting', parts: [result({ number: 7, total: 20 })] } }
  expect(await asked([early, answer(words)])).toMatchObject({ data: [{}], errors: [] })
  const question = {
    respond: { turnState: 'clarifying', parts: [{ metadata: { partType: 'clarify' }, text: 'Which?' }] },
  }
  const { data, prompts } = await asked([question])
  expect([data, prompts.length]).toEqual([[], 1])
})

test('a JSON Schema is checked the same way', async () => {
  const output = { type: 'object', required: ['number'], properties: { number: { type: 'integer' } } }
  const wrong = answer(result({ number: 'seven' }))
  const { data, prompts } = await asked([wrong, answer(result({ number: 7 }))], { output })
  expect([data.length, prompts.length]).toEqual([1, 2])
})

test.each([
  [{ output: z.object({ at: z.date() }) }, 'The output of the actor'],
  [{ output: z.string().transform(Number) }, 'whose result is no JSON'],
  [{ output: { $ref: 'https://elsewhere.example/schema' } }, 'has a schema that cannot be used'],
  [{ output: invoice, domainDataSchema: { type: 'object' } }, 'Give `output` alone'],
  [{ outputKind: 'invoice' }, 'but no `output`'],
])('a configuration that cannot work is refused at once', (config, message) => {
  expect(() => llmActor({ model: scriptedModel({ rules: [] }), instructions: 'x', ...config })).toThrow(message)
})
