import { call } from '../http.ts'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Durability } from '../performance/figures.ts'
import type { Contender } from './contenders.ts'
import { openSession } from './open-session.ts'

const deltas = 50
// The next process takes a session over when the lease of the one that died has run out.
const leaseMs = 1_000

/** Ends a server by `kill -9` right after an answer, and looks for the answer's last word in the files that it has left. */
export async function durabilityOf(contender: Contender, folder: string): Promise<Durability> {
  const server = await contender.start(folder)
  const talk = await contender.person(server.url)
  await talk({ deltas, everyMs: 0 })
  await server.end('SIGKILL')
  const finished = filesOf(folder).some((file) => readFileSync(file).includes(`word${deltas - 1}.`))
  if (!finished || contender.goesOn !== true) return { id: contender.id, finished }
  return { id: contender.id, finished, cutOff: await goesOn(contender, `${folder}-cut`) }
}

/** Ends an agent by `kill -9` in the middle of an answer: whether the next process brings it to its end. */
async function goesOn(contender: Contender, folder: string): Promise<boolean> {
  const first = await contender.start(folder, { leaseMs })
  const { sessionId, token } = await openSession(first.url)
  const headers = { authorization: `Bearer ${token}` }
  const text = JSON.stringify({ deltas, everyMs: 10 })
  const events = async (url: string) => call(`${url}/sessions/${sessionId}/events`, { headers })
  const before = await events(first.url)
  // It ends with the process.
  before.on('error', () => {})
  const spoken = new Promise<void>((resolve) => {
    before.on('data', (chunk: string) => chunk.includes('word3.') && resolve())
  })
  const accepted = await call(`${first.url}/sessions/${sessionId}/messages`, { headers, body: { text } })
  accepted.resume()
  await spoken
  await first.end('SIGKILL')
  const second = await contender.start(folder, { leaseMs })
  try {
    let seen = ''
    for await (const chunk of await events(second.url)) {
      seen += String(chunk)
      if (seen.includes('event: settled')) break
    }
    return seen.includes(`word${deltas - 1}.`)
  } finally {
    await second.stop()
  }
}

/** The files in a folder, and those next to it whose names begin with its name. */
function filesOf(folder: string): string[] {
  const inside = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : []
  const beside = readdirSync(dirname(folder), { withFileTypes: true }).filter(({ name }) =>
    name.startsWith(basename(folder)),
  )
  return [...inside, ...beside].filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}
