import { Session } from 'node:inspector/promises'
import { setImmediate as nextRound } from 'node:timers/promises'
import { createBeach, defineActor, openData } from '@cool-ai/beach'

// Counts by V8's precise coverage which of our files and named functions the third message of a session passes, from
// POST to the SSE frame that settles its turn. In a process of its own: coverage is of all that a process runs.
const greeter = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'ack', text: 'Just a moment.' }], turnState: 'awaiting' })
  await respond({ parts: [{ partType: 'response', text: words(`You said: ${text}`) }], turnState: 'complete' })
})

async function* words(text: string): AsyncGenerator<string> {
  yield* text.split(/(?<= )/)
}

const data = await openData({ folder: process.argv[2] })
const beach = await createBeach({
  agent: { id: 'greeter', name: 'Greeter' },
  data,
  actors: { greeter },
  inspect: true,
})
const { url } = await beach.listen({ port: 0, signals: false })
const json = { 'content-type': 'application/json' }
const opened = await fetch(`${url}/sessions`, { method: 'POST', headers: json, body: '{}' })
const { sessionId, token } = (await opened.json()) as { sessionId: string; token: string }
const headers = { ...json, authorization: `Bearer ${token}` }
const { body } = await fetch(`${url}/sessions/${sessionId}/events`, { headers })
const frames = body?.pipeThrough(new TextDecoderStream()).getReader()

let seen = ''
const settled = async (turns: number) => {
  while (seen.split('event: settled').length <= turns) seen += (await frames?.read())?.value ?? ''
}
const say = (text: string) =>
  fetch(`${url}/sessions/${sessionId}/messages`, { method: 'POST', headers, body: JSON.stringify({ text }) })

/** The turns before are indexed, kept as missives, and have given back their lease: nothing of them is left to do. */
async function isQuiet(turns: number): Promise<boolean> {
  const [row] = await data.store.list(`inspect:row:${sessionId}:`, undefined, 1)
  const { state, turns: indexed } = JSON.parse(row?.value ?? '{}') as { state?: string; turns?: number }
  const place = await data.missives.store.place(sessionId)
  const { leases = [] } = (await data.store.hosts?.(1)) ?? {}
  const [last] = await data.store.read(sessionId, place?.seq ?? 0, 1)
  return state === 'complete' && indexed === turns && leases.length === 0 && last === undefined
}

await say('one')
await settled(1)
await say('two')
await settled(2)
while (!(await isQuiet(2))) await nextRound()
const v8 = new Session()
v8.connect()
await v8.post('Profiler.enable')
await v8.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
await say('three')
await settled(3)
const { result } = await v8.post('Profiler.takePreciseCoverage')
const passed = result.flatMap(({ url: file, functions }) => {
  const [path] = /packages\/[^/]+\/src\/.*/.exec(file) ?? []
  const called = functions.filter(({ functionName, ranges: [all] }) => functionName !== '' && (all?.count ?? 0) > 0)
  return path === undefined || called.length === 0 ? [] : [{ path, functions: called.length }]
})
process.stdout.write(JSON.stringify(passed))
await beach.close()
process.exit()
