import { createBeach, defineActor, openData, serve } from '@cool-ai/beach'
import { defineTool, llmActor } from '@cool-ai/beach-llm'
import { control } from './control.ts'
import { model, type Message, type Piece } from './provider-loop.ts'
import { instructions, lookup } from './script.ts'
import { asRespond, scriptedModel } from './scripted-model.ts'
import { unlimited } from './unlimited.ts'

const tool = defineTool({
  name: lookup.name,
  description: lookup.description,
  inputSchema: lookup.inputSchema,
  // It only looks something up.
  idempotent: true,
  handler: () => lookup.result,
})

/** The provider loop as a function: each tool runs once, and the answer streams. */
const loop = defineActor(async ({ text, respond, tool: run }) => {
  const messages: Message[] = [{ role: 'user', content: text }]
  for await (const piece of model(messages)) {
    if (piece.type === 'text') continue
    const { name, args, id } = piece
    const { outcome } = await run({ name, args, idempotent: true }, async () => lookup.result)
    messages.push({ role: 'tool', content: outcome, toolCallId: id })
  }
  await respond({ parts: [{ partType: 'response', text: textOf(model(messages)) }], turnState: 'complete' })
})

async function* textOf(pieces: AsyncIterable<Piece>): AsyncGenerator<string> {
  for await (const piece of pieces) if (piece.type === 'text') yield piece.delta
}

const [, , folder = '.beach', store = 'sqlite', kind = 'model', leaseMs = '10000'] = process.argv
const actors = {
  weather: kind === 'model' ? llmActor({ model: scriptedModel(asRespond), instructions, tools: [tool] }) : loop,
}
const data = await openData({ folder, store })
const beach = await createBeach({
  agent: {
    schemaVersion: '1.0',
    id: 'bench',
    name: 'Bench',
    description: 'Tells the weather.',
    version: '1.0.0',
    capabilities: [{ id: 'weather', description: 'Tells the weather.' }],
  },
  actors,
  publicUrl: 'http://127.0.0.1',
  turns: { leaseMs: Number(leaseMs) },
  limits: { streamsPerPrincipal: 1_000, ...unlimited },
  data,
})
const { url } = await serve(beach, { port: 0 })
control(url)
