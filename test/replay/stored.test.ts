import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBeach, defineActor, replay, type Beach } from '@cool-ai/beach'
import type { Actor, Frame, Originator, Sessions } from '@cool-ai/beach-core'
import type { ClientResult } from '@cool-ai/beach-core/ports'
import { defineTool, llmActor } from '@cool-ai/beach-llm'
import { script, type ScriptStep } from '@cool-ai/beach-testing/model'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { newDatabase } from '../support/postgres.ts'

const anna = { kind: 'user', id: 'anna', tenant: 'default' } as const
const operator = { kind: 'operator', id: 'olga', tenant: 'default' } as const
const page: Originator = {
  id: 'page:anna',
  transport: 'agui',
  deliveryClass: 'streaming',
  principal: anna,
  toolCalls: 'names',
}
const about = { id: 'painter', name: 'Painter' }
const secret = new TextEncoder().encode('a secret of thirty-two characters')
const paint = { name: 'paint', description: 'Paints the page.', parameters: { type: 'object' } }

const bought: unknown[] = []
const buy = defineTool({
  name: 'buy',
  description: 'Buys paint.',
  inputSchema: z.object({ colour: z.string() }),
  requiresApproval: true,
  handler: ({ colour }) => bought.push(colour),
})

/** Buys paint, has the client's page paint with it, and says what came of it. */
const painting: ScriptStep = ({ step }) => {
  if (step === 0) return { tools: [{ name: 'buy', args: { colour: 'red' } }] }
  if (step === 1) return { tools: [{ name: 'paint', args: { colour: 'red' } }] }
  return 'The page is red.'
}
const byModel = () =>
  llmActor({ model: script(painting, painting, painting), instructions: 'You paint.', tools: [buy] })
const byFunction = () =>
  defineActor(async ({ respond, callClient }) => {
    const outcome = await callClient('paint', { colour: 'blue' })
    const text = outcome.outcome === 'ok' ? String(outcome.value) : `${outcome.outcome}: ${outcome.reason}`
    await respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })
  })

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'beach-replay-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

async function database(): Promise<string> {
  const { url, [Symbol.asyncDispose]: drop } = await newDatabase()
  onTestFinished(drop)
  return url
}

/** The first frame of a session for which this is true. */
async function found<Found extends Frame>(
  { sessions }: { readonly sessions: Sessions },
  session: string,
  isIt: (frame: Frame) => frame is Found,
): Promise<Found> {
  const end = new AbortController()
  try {
    for await (const frame of sessions.follow(session, page, '0', end.signal)) if (isIt(frame)) return frame
  } finally {
    end.abort()
  }
  throw new Error('The session ended without it.')
}

type Call = Extract<Frame, { kind: 'call' }>
type Settled = Extract<Frame, { kind: 'settled' }>
const isForClient = (frame: Frame): frame is Call => frame.kind === 'call' && frame.client !== undefined
const isSettled = (frame: Frame): frame is Settled => frame.kind === 'settled'

describe.each([
  ['a folder of SQLite', async () => folder()],
  ['PostgreSQL', database],
])('a session that lies in %s', (_, place) => {
  async function start(data: string, actor: Actor = byModel()): Promise<Beach> {
    const beach = await createBeach({ agent: about, actors: { actor }, data: { folder: data, secret } })
    onTestFinished(() => beach.close())
    return beach
  }

  /** A page offers its tool and says something; `answer` gives its result. */
  async function asked({ sessions }: Beach) {
    const session = await sessions.open({ principal: anna })
    const parts = [{ text: 'Paint it.', metadata: { partType: 'message' } }]
    await sessions.post(session, { parts, from: page, offer: { tools: [paint] } }, anna)
    return session
  }

  async function answer(beach: Beach, session: string, result: Omit<ClientResult, 'callId'>) {
    const { callId } = await found(beach, session, isForClient)
    expect(await beach.sessions.answerCalls(session, [{ callId, ...result }], page, anna)).toEqual(['taken'])
    await found(beach, session, isSettled)
  }

  test('is the same again, over two processes, an approval and a tool that its client ran', async () => {
    bought.length = 0
    const data = await place()
    const first = await start(data)
    const session = await asked(first)
    const pending = () => first.sessions.approvals({ limit: 1 }, operator)
    await expect.poll(async () => (await pending()).items, { timeout: 10_000 }).toHaveLength(1)
    const [{ approvalId } = { approvalId: '' }] = (await pending()).items
    await first.close()
    const second = await start(data)
    await second.sessions.decide(approvalId, { decision: 'granted' }, anna)
    await answer(second, session, { outcome: 'ok', value: 'painted' })
    const options = { agent: about, actors: { actor: byModel() }, data: { folder: data, secret } }
    // The second process still has the store open.
    const report = await replay(options, { session })
    expect(report).toMatchObject({ same: true, turns: [{ asked: 'Paint it.', change: 'same' }] })
    expect(report.turns[0]?.tools.map(({ recorded }) => [recorded?.name, recorded?.outcome])).toEqual([
      ['buy', 'ok'],
      ['paint', 'ok'],
    ])
    expect(bought, 'no tool runs in a replay').toEqual(['red'])
  })

  test('answers other code with what its client gave, and not for a call that was not made', async () => {
    const data = await place()
    const beach = await start(data, byFunction())
    const session = await asked(beach)
    await answer(beach, session, { outcome: 'failed', value: 'No paint left.' })
    const same = await replay(
      { agent: about, actors: { actor: byFunction() }, data: { folder: data, secret } },
      { session },
    )
    expect(same).toMatchObject({ same: true })
    const other = defineActor(async ({ respond, callClient }) => {
      const known = await callClient('paint', { colour: 'blue' })
      const unknown = await callClient('paint', { colour: 'green' })
      const text = [known, unknown].map(({ outcome }) => outcome).join(', ')
      await respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })
    })
    const report = await replay({ agent: about, actors: { other }, data: { folder: data, secret } }, { session })
    const [turn] = report.turns
    expect(turn?.tools.map(({ change }) => change)).toEqual(['same', 'added'])
    expect(turn?.notRecorded).toMatchObject([{ name: 'paint', args: { colour: 'green' } }])
    expect(turn?.parts).toMatchObject([{ replayed: { text: 'failed, failed' } }])
  })
})
