import { setTimeout } from 'node:timers/promises'
import { createBeach, defineActor, openData, serve } from '@cool-ai/beach'
import { control } from './control.ts'
import { spokenPart, type Fanned } from './fanned.ts'
import { unlimited } from './unlimited.ts'

/** Says so many parts, one at a time, with time for each to reach every viewer. */
const actor = defineActor(async ({ text, respond }) => {
  const { parts, everyMs } = JSON.parse(text) as Fanned
  for (let n = 0; n < parts; n++) {
    await setTimeout(everyMs)
    const turnState = n === parts - 1 ? 'complete' : 'awaiting'
    await respond({ parts: [{ partType: 'response', text: spokenPart() }], turnState })
  }
})

const data = await openData({ folder: process.argv[2] ?? '.beach' })
const limits = { streamsPerPrincipal: 20_000, ...unlimited }
const beach = await createBeach({ agent: { id: 'bench', name: 'Bench' }, actors: { actor }, limits, data })
const { url } = await serve(beach, { port: 0 })
control(url)
