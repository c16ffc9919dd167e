import { createBeach, defineActor, openData, serve } from '@cool-ai/beach'
import { answer } from './answer.ts'
import { control } from './control.ts'
import { unlimited } from './unlimited.ts'

const actor = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'response', text: answer(text) }], turnState: 'complete' })
})

const [, , place = '.beach', leaseMs, stopGraceMs] = process.argv
const agent = { id: 'bench', name: 'Bench' }
const secret = Buffer.from('the secret of an agent that is only measured')
const isDatabase = place.startsWith('postgres:')
const data = await openData(isDatabase ? { store: place, agent: agent.id, secret } : { folder: place })

const turns = { leaseMs: Number(leaseMs) }
const beach = await createBeach({ agent, actors: { actor }, limits: unlimited, turns, data })
const { url } = await serve(beach, { port: 0, stopGraceMs: Number(stopGraceMs) })
control(url)
