import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBeach, defineActor, openData } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { ann, echo, text, viewer } from './world-basics.ts'
const runtime = systemRuntime({ logger: silentLogger })
async function round(on: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const data = await openData({ folder, runtime })
  const beach = await createBeach({
    agent: { id: 'k', name: 'K' },
    actors: { echo: defineActor(echo) },
    ...data,
    runtime,
    missives: on ? data.missives : false,
  })
  const sessions = await Promise.all(Array.from({ length: 32 }, () => beach.sessions.open({ principal: ann })))
  const lat: number[] = []
  const t0 = performance.now()
  const c0 = process.cpuUsage()
  await Promise.all(
    sessions.map(async (session) => {
      const end = new AbortController()
      const frames = beach.sessions.follow(session, viewer(), '0', end.signal)[Symbol.asyncIterator]()
      for (let n = 0; n < 60; n++) {
        const t = performance.now()
        await beach.sessions.post(
          session,
          { parts: [text(`message ${n} about flights to Paris and hotels in Zürich`)], from: viewer() },
          ann,
        )
        for (;;) {
          const { value } = await frames.next()
          if (value?.kind === 'settled') break
        }
        lat.push(performance.now() - t)
      }
      end.abort()
    }),
  )
  const ms = performance.now() - t0
  const cpu = process.cpuUsage(c0)
  const turns = 32 * 60
  let behind = 0
  if (on) {
    const t = performance.now()
    await beach.missives?.caughtUp()
    behind = performance.now() - t
  }
  lat.sort((a, b) => a - b)
  await beach.close()
  if (!on) {
    await data.missives.store.close()
    await data.missives.identities.close()
  }
  rmSync(folder, { recursive: true })
  return {
    on,
    turnsPerS: Math.round((turns / ms) * 1000),
    cpuMsPerTurn: +((cpu.user + cpu.system) / 1000 / turns).toFixed(3),
    p50: +lat[turns >> 1]!.toFixed(1),
    p99: +lat[Math.floor(turns * 0.99)]!.toFixed(1),
    behindMs: Math.round(behind),
  }
}
for (let i = 0; i < 3; i++) for (const on of [false, true]) console.log(JSON.stringify(await round(on)))
