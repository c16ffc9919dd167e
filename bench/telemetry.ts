import { createBeach, defineActor } from '@cool-ai/beach'
import { interleave, type BenchOptions, type Figure } from './measure.ts'
import { withScratchFolder } from './scratch-folder.ts'
import { unlimited } from './server/unlimited.ts'

/**
 * The CPU of a turn that is reported on, without an SDK, against one that is not. Both agents are in this process and take
 * turns after a few messages: the difference is smaller than what else a machine does meanwhile.
 */
export function telemetryBench({ quick }: BenchOptions): Promise<Figure[]> {
  return withScratchFolder((folder) =>
    withScratchFolder(async (other) => {
      const on = await talkTo(folder, true)
      const off = await talkTo(other, false)
      try {
        const figures: Figure[] = []
        for (const concurrency of [1, 32]) {
          const turns = quick ? concurrency : concurrency === 1 ? 60 : 640
          for (let round = 0; round < (quick ? 1 : 25); round++) {
            await on.cpuPerTurn(turns, concurrency)
            await off.cpuPerTurn(turns, concurrency)
          }
          const rounds = await interleave(
            quick ? 2 : 101,
            () => on.cpuPerTurn(turns, concurrency),
            () => off.cpuPerTurn(turns, concurrency),
          )
          const name = `telemetry: CPU of a turn without an SDK, metrics on : off, ${concurrency} at a time`
          figures.push({ name, unit: 'ms', rounds, goal: '≤ 1.02' })
        }
        return figures
      } finally {
        await on.close()
        await off.close()
      }
    }),
  )
}

/** An agent on disk that says a word, and conversations with it. */
async function talkTo(folder: string, metrics: boolean) {
  const waiting = new Map<string, () => void>()
  const greeter = defineActor(async ({ view, respond }) => {
    await respond({ parts: [{ partType: 'response', text: 'Hello.' }], turnState: 'complete' })
    waiting.get(view.sessionId)?.()
  })
  const agent = { id: 'greeter', name: 'Greeter' }
  const actors = { greeter }
  const beach = await createBeach({
    agent,
    data: folder,
    actors,
    telemetry: { metrics },
    access: { limits: unlimited },
  })
  const post = async (path: string, token: string | undefined, body: unknown) => {
    const headers = {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    }
    const request = new Request(`http://127.0.0.1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await (await beach.fetch(request)).json()) as { sessionId: string; token: string }
  }
  const people = await Promise.all(Array.from({ length: 32 }, () => post('/sessions', undefined, {})))
  const say = async ({ sessionId, token }: { sessionId: string; token: string }) => {
    const answered = new Promise<void>((resolve) => waiting.set(sessionId, resolve))
    await post(`/sessions/${sessionId}/messages`, token, { text: 'hello' })
    await answered
  }
  return {
    async cpuPerTurn(turns: number, concurrency: number): Promise<number> {
      const before = process.cpuUsage()
      const talking = people.slice(0, concurrency).map(async (person) => {
        for (let turn = 0; turn < turns / concurrency; turn++) await say(person)
      })
      await Promise.all(talking)
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1_000 / turns
    },
    close: () => beach.close(),
  }
}
