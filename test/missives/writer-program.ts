import { createBeach, defineActor, openData } from '@cool-ai/beach'
import { ann, echo, text, viewer } from './context-basics.ts'

// A process that talks to its agent as fast as it can and prints what was acknowledged, until it is killed.
const [folder = '', sessions = '3'] = process.argv.slice(2)
const data = await openData({ folder })
const beach = await createBeach({
  agent: { id: 'keeper', name: 'Keeper' },
  actors: { echo: defineActor(echo) },
  data,
})

await Promise.all(
  Array.from({ length: Number(sessions) }, async () => {
    const session = await beach.sessions.open({ principal: ann })
    for (let n = 0; ; n++) {
      const { messageId } = await beach.sessions.post(session, { parts: [text(`message ${n}`)], from: viewer() }, ann)
      process.stdout.write(`${session} ${messageId}\n`)
      // A moment for the turns, and for what follows behind them.
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }),
)
