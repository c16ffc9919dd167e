import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { interleave, percentile, type BenchOptions, type Figure } from './measure.ts'
import { withScratchFolder } from './scratch-folder.ts'
import type { ViewerOrder, ViewerPlace } from './server/viewer-process.ts'
import { ServerProcess } from './server-process.ts'

/** What each of many idle viewers costs in memory, of one session and of sessions of their own. */
export function viewersBench({ quick }: BenchOptions): Promise<Figure[]> {
  return withScratchFolder(async (folder) => {
    const count = quick ? 40 : Math.min(10_000, maxConnections())
    const figures: Figure[] = []
    for (const sessions of [1, count]) {
      // The sessions are opened in another process: what that has left behind would count as there before.
      const opener = await ServerProcess.viewersBeach(folder)
      const places = await sessionsOf(opener.url, sessions, count / sessions)
      await opener.stop()
      const [beach, bare] = await Promise.all([ServerProcess.viewersBeach(folder), ServerProcess.viewersBare()])
      try {
        const rounds = [
          {
            beach: await residentEach(beach, places, count),
            bare: await residentEach(bare, [{ path: '/', count }], count),
          },
        ]
        const name = sessions === 1 ? 'of one session' : 'of a session each'
        figures.push({ name: `viewers: memory of ${count} idle ones, ${name}`, unit: 'kB', rounds, goal: 'Beach ≤ 25' })
      } finally {
        await Promise.all([beach.stop(), bare.stop()])
      }
    }
    return figures
  })
}

/** One part to a thousand viewers: until the last one has it, and what it costs the server. */
export function fanOutBench({ quick }: BenchOptions): Promise<Figure[]> {
  return withScratchFolder(async (folder) => {
    const count = quick ? 50 : 1_000
    const fanned = { parts: quick ? 3 : 60, everyMs: quick ? 10 : 40 }
    const [beach, bare] = await Promise.all([ServerProcess.viewersBeach(folder), ServerProcess.viewersBare()])
    const toBeach = await Viewers.start()
    const toBare = await Viewers.start()
    try {
      const [place] = await sessionsOf(beach.url, 1, count)
      if (place === undefined) throw new Error('There is no session.')
      await toBeach.open(beach.url, [place])
      await toBare.open(bare.url, [{ path: '/', count }])
      const sides = {
        beach: () => fanOut(beach, toBeach, fanned, place.path.replace(/events$/, 'messages'), place.token),
        bare: () => fanOut(bare, toBare, fanned, '/'),
      }
      for (let n = 0; n < 2; n++) await Promise.all([sides.beach(), sides.bare()])
      const rounds = await interleave(quick ? 2 : 7, sides.beach, sides.bare)
      const figure = (name: string, unit: string, of: (result: FanOut) => number): Figure => ({
        name: `fan-out: ${name}`,
        unit,
        rounds: rounds.map((round) => ({ beach: of(round.beach), bare: of(round.bare) })),
        goal: '≤ 1.3',
      })
      return [
        figure(`one part till the last of ${count} viewers has it`, 'ms', ({ delayMs }) => delayMs),
        figure(`CPU of one part to ${count} viewers`, 'ms', ({ cpuMs }) => cpuMs),
      ]
    } finally {
      await Promise.all([toBeach.stop(), toBare.stop(), beach.stop(), bare.stop()])
    }
  })
}

/** Node takes as many files as the system lets it; some are needed for other things. */
function maxConnections(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } }
  const max = Number(userLimits?.open_files?.soft)
  return Number.isFinite(max) ? max - 500 : Infinity
}

interface FanOut {
  readonly delayMs: number
  readonly cpuMs: number
}

async function fanOut(
  server: ServerProcess,
  viewers: Viewers,
  fanned: { parts: number; everyMs: number },
  path: string,
  token?: string,
): Promise<FanOut> {
  const before = await server.cpuMs()
  const received = viewers.receive(fanned.parts)
  await post(server.url + path, { text: JSON.stringify(fanned) }, token)
  const delayMs = percentile(await received)
  return { delayMs, cpuMs: ((await server.cpuMs()) - before) / fanned.parts }
}

/** Kilobytes for each viewer: what is resident with all of them, less what was before. Some came and went before that. */
async function residentEach(server: ServerProcess, places: readonly ViewerPlace[], count: number): Promise<number> {
  const viewers = await Viewers.start()
  try {
    const [first] = places
    if (first !== undefined) await viewers.open(server.url, [{ ...first, count: Math.ceil(count / 20) }])
    await viewers.close()
    const before = await server.residentKb()
    await viewers.open(server.url, places)
    return ((await server.residentKb()) - before) / count
  } finally {
    await viewers.stop()
  }
}

/** Opens sessions and says where viewers of them look. */
async function sessionsOf(url: string, sessions: number, count: number): Promise<ViewerPlace[]> {
  const places: ViewerPlace[] = []
  const lane = async () => {
    while (places.length < sessions) {
      const index = places.length
      places.push({ path: '', count })
      const { sessionId, token } = (await post(`${url}/sessions`, {})) as { sessionId: string; token: string }
      places[index] = { path: `/sessions/${sessionId}/events`, token, count }
    }
  }
  await Promise.all(Array.from({ length: 32 }, lane))
  return places
}

async function post(url: string, body: unknown, token?: string): Promise<unknown> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const headers = { 'content-type': 'application/json', ...authorization }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new Error(`POST ${url} was answered with ${response.status}: ${text}`)
  return text === '' ? undefined : (JSON.parse(text) as unknown)
}

/** Viewers that another process holds. */
class Viewers {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  static async start(): Promise<Viewers> {
    const script = fileURLToPath(new URL('server/viewer-process.ts', import.meta.url))
    const child = fork(script, [], { execArgv: ['--conditions=@cool-ai/source'] })
    await once(child, 'message')
    return new Viewers(child)
  }

  async open(url: string, places: readonly ViewerPlace[]): Promise<void> {
    await this.#ask({ open: places, url })
  }

  /** Resolves when so many parts have reached every viewer: how long each of them took. */
  async receive(parts: number): Promise<readonly number[]> {
    return (await this.#ask({ receive: parts })).delays ?? []
  }

  async close(): Promise<void> {
    await this.#ask('close')
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.disconnect()
    await exited
  }

  async #ask(order: ViewerOrder): Promise<{ readonly delays?: readonly number[]; readonly problem?: string }> {
    const answered = once(this.#child, 'message')
    this.#child.send(order)
    const [answer] = (await answered) as [{ delays?: readonly number[]; problem?: string }]
    if (answer.problem !== undefined) throw new Error(answer.problem)
    return answer
  }
}
