import { createBeach, defineActor, openData, serve } from '@cool-ai/beach'
import { answer } from './answer.ts'
import { control } from './control.ts'
import { unlimited } from './unlimited.ts'

const actor = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'response', text: answer(text) }], turnState: 'complete' })
})

const [, , folder = '.beach', gatherMs = '75', store = 'sqlite'] = process.argv
const data = await openData({ folder, store })
const beach = await createBeach({
  agent: {
    schemaVersion: '1.0',
    id: 'bench',
    name: 'Bench',
    description: 'Says words.',
    version: '1.0.0',
    capabilities: [{ id: 'words', description: 'Says words.' }],
  },
  actors: { actor },
  publicUrl: 'http://127.0.0.1',
  protocols: { a2a: { gatherMs: Number(gatherMs) } },
  limits: { streamsPerPrincipal: 1_000, ...unlimited },
  data: { ...data, missives: false },
  // Projected in parallel to the turn; not part of what is compared.
})
const { url } = await serve(beach, { port: 0 })
control(url)
