import { createBeach, defineActor, openData, serve } from '@cool-ai/beach'
import { answer } from './answer.ts'
import { control } from './control.ts'

const actor = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'response', text: answer(text) }], turnState: 'complete' })
})

const data = await openData({ folder: process.argv[2] ?? '.beach' })
const limits = { guestSessionsPerMinute: 1_000_000 }
const beach = await createBeach({ agent: { id: 'bench', name: 'Bench' }, actors: { actor }, access: { limits }, data })
const { url } = await serve(beach, { port: 0 })
control(url)
