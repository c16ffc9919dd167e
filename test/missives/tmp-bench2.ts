import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBeach, defineActor, openData } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { ann, echo, text, viewer } from './world-basics.ts'
const runtime = systemRuntime({ logger: silentLogger })
const folder = mkdtempSync(join(tmpdir(), 'bench-'))
{
  const data = await openData({ folder, runtime })
  const beach = await createBeach({
    agent: { id: 'k', name: 'K' },
    actors: { echo: defineActor(echo) },
    ...data,
    runtime,
    missives: false,
  })
  const sessions = await Promise.all(Array.from({ length: 32 }, () => beach.sessions.open({ principal: ann })))
  await Promise.all(
    sessions.map(async (session) => {
      const end = new AbortController()
      const frames = beach.sessions.follow(session, viewer(), '0', end.signal)[Symbol.asyncIterator]()
      for (let n = 0; n < 100; n++) {
        await beach.sessions.post(
          session,
          { parts: [text(`message ${n} about flights to Paris and hotels in Zürich`)], from: viewer() },
          ann,
        )
        for (;;) {
          const { value } = await frames.next()
          if (value?.kind === 'settled') break
        }
      }
      end.abort()
    }),
  )
  await beach.close()
  await data.missives.store.close()
  await data.missives.identities.close()
}
const data = await openData({ folder, runtime })
const beach = await createBeach({
  agent: { id: 'k', name: 'K' },
  actors: { echo: defineActor(echo) },
  ...data,
  runtime,
})
for (let i = 0; i < 2; i++) {
  const t = performance.now()
  await beach.missives!.rebuild({ kind: 'operator', id: 'x', tenant: 'default' })
  console.log('rebuild ms per turn', ((performance.now() - t) / 3200).toFixed(3))
}
await beach.close()
rmSync(folder, { recursive: true })
