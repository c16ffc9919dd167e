import { createBeach, defineActor, openData, serve } from '@cool-ai/beach'
import { control } from './control.ts'
import { unlimited } from './unlimited.ts'

/** A trivial agent: it says the same to every caller. */
const actor = defineActor(async ({ respond }) => {
  await respond({ parts: [{ partType: 'response', text: 'word '.repeat(50) }], turnState: 'complete' })
})

const [store = 'sqlite', folder = '.beach'] = process.argv.slice(2)
const data = await openData({ folder, store })

const beach = await createBeach({
  agent: { id: 'bench', name: 'Bench' },
  actors: { actor },
  limits: unlimited,
  data: { ...data, missives: false },
})
const { url } = await serve(beach, { port: 0 })
control(`${url}/mcp`)
