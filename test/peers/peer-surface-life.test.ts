import { TaskState } from '@a2a-js/sdk'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { SqliteStore } from '@cool-ai/beach-session/sqlite'
import { describe, expect, test } from 'vitest'
import { runtime } from '../a2a/agent.ts'
import { sqliteFile } from '../a2a/sqlite-file.ts'
import { data, stockAgent, text } from '../a2a-client/stock-agent.ts'
import { Conversation } from '../support/conversation.ts'
import { freePort } from '../support/free-port.ts'
import { catalogId, flights, sallyAnswers, startBaxter, startSally } from './two-agents.ts'

// Document 001, "Part 3 — UI surface", over time: surfaces that change, agents that end and begin, tasks that ask.

const press = (
  surfaceId: string,
  componentId = 'choose',
  context: object = { flightNumber: 'BA 2043', passengers: 2 },
) => ({
  surfaceId,
  componentId,
  name: componentId,
  context: context as Readonly<Record<string, unknown>>,
})

/** Baxter's user, to whom Sally has shown something. */
async function shown(url: string) {
  const talk = await Conversation.open(url)
  await talk.say('Flights, please.')
  await talk.settled(1)
  return { talk, surfaceId: talk.surfaceIds[0] ?? '' }
}

describe('a surface that Sally changes later, in the same conversation', () => {
  const version = 'v0.9'
  const surfaceId = 'flight-results'
  const changes = {
    sold: {
      version,
      updateComponents: { surfaceId, components: [{ id: 'choose', component: 'Text', text: 'Sold out' }] },
    },
    cheaper: { version, updateDataModel: { surfaceId, path: '/passengers', value: 1 } },
    gone: { version, deleteSurface: { surfaceId } },
  }
  const sally = () =>
    startSally({
      answer: async (turn) => {
        const change = Object.entries(changes).find(([name]) => turn.text.includes(name))?.[1]
        if (change === undefined) return sallyAnswers(turn)
        return turn.respond({ parts: [{ partType: 'a2ui-surface', data: change }], turnState: 'complete' })
      },
    })

  test.each([
    ['sold', 409],
    ['gone', 409],
    ['cheaper', 202],
  ])('is the same one here, and takes what it takes there: %s', async (change, status) => {
    const { url } = await startBaxter(await sally())
    const { talk, surfaceId: here } = await shown(url)
    await talk.say(change)
    await talk.settled(2)
    expect(JSON.stringify(talk.partOf('a2ui-surface')?.data)).toContain(`"surfaceId":"${here}"`)
    expect((await talk.press(press(here))).status).toBe(status)
  })
})

describe('a form that belongs to a question', () => {
  test('answers it: the task that asked goes on', async () => {
    const sally = await startSally({
      answer: async ({ messages, text: said, respond }) => {
        const pressed = messages.some(({ parts }) => parts.some(({ metadata }) => metadata.partType === 'a2ui-action'))
        if (pressed) return respond({ parts: [{ partType: 'response', text: said }], turnState: 'complete' })
        const question = { partType: 'clarify', text: 'Which flight?' } as const
        return respond({ parts: [{ partType: 'a2ui-surface', data: flights() }, question], turnState: 'clarifying' })
      },
    })
    const { url } = await startBaxter(sally)
    const { talk, surfaceId } = await shown(url)
    const asked = talk.stream.parts.find(
      ({ partType, metadata }) => partType === 'clarify' && metadata.origin !== undefined,
    )
    await talk.press(press(surfaceId))
    await talk.settled(2)
    const answered = talk.stream.parts.findLast(({ text: said }) => said === 'Sally has answered.')
    const taskOf = (part: typeof asked) => (part?.metadata.origin as { taskId?: string } | undefined)?.taskId
    expect(taskOf(asked)).toEqual(expect.any(String))
    expect(taskOf(answered)).toBe(taskOf(asked))
  })
})

describe('what is done on a surface', () => {
  test('goes back after Baxter has been started anew', async () => {
    const sally = await startSally()
    const path = sqliteFile()
    const port = await freePort()
    const before = await startBaxter(sally, { data: { store: await SqliteStore.open({ path, runtime }) }, port })
    const { talk, surfaceId } = await shown(before.url)
    await before.stop()
    await startBaxter(sally, { data: { store: await SqliteStore.open({ path, runtime }) }, port })
    expect((await talk.press(press(surfaceId))).status).toBe(202)
    await talk.settled(2)
    expect(talk.partOf('response')?.text).toMatch(/^Sally: Done: Pressed “Choose”/)
  })

  test('is not lost when Sally cannot be reached: Baxter says so, and it can be done again', async () => {
    class LastingStore extends MemoryStore {
      override async close(): Promise<void> {}
    }
    const store = new LastingStore({ runtime })
    const port = await freePort()
    const sally = await startSally({ options: { data: { store }, port } })
    const { url } = await startBaxter(sally)
    const { talk, surfaceId } = await shown(url)
    await sally.stop()
    expect((await talk.press(press(surfaceId))).status).toBe(202)
    await talk.settled(2)
    expect(talk.partOf('response')?.text).toMatch(/^I could not tell Sally\. The agent 'sally': Nothing answers at /)
    await startSally({ options: { data: { store }, port } })
    expect((await talk.press(press(surfaceId))).status).toBe(202)
    await talk.settled(3)
    expect(talk.partOf('response')?.text).toMatch(/^Sally: Done: Pressed “Choose”/)
  })

  test('is refused by Sally when her surface is another by now, and Baxter is told so', async () => {
    const sally = await startSally()
    const { url } = await startBaxter(sally)
    const { talk, surfaceId } = await shown(url)
    // Her log is gone with her process, so she has never shown it.
    await sally.stop()
    await startSally({ options: { port: Number(new URL(sally.url).port) } })
    await talk.press(press(surfaceId))
    await talk.settled(2)
    expect(talk.partOf('response')?.text).toMatch(
      /^I could not tell Sally\. The agent 'sally' shows this surface otherwise/,
    )
  })
})

describe('a peer that knows A2UI’s own extension for A2A only', () => {
  const mimeType = 'application/json+a2ui'
  const own = flights()
  const { version, createSurface, updateDataModel, updateComponents } = own
  const messages = [
    { version, createSurface },
    { version, updateDataModel },
    { version, updateComponents },
  ]

  test('has its surface shown, and gets actions by that extension, in the same context', async (context) => {
    const agent = await stockAgent(context, (run) => {
      run.begin()
      const isAction = run.message.parts.some(({ metadata }) => metadata?.mimeType === mimeType)
      run.artifact('a1', [isAction ? text('Chosen.') : data(messages, { mimeType })], { lastChunk: true })
      run.status(TaskState.TASK_STATE_COMPLETED)
    })
    const peers = { sally: { card: agent.card().json, allowOrigins: [agent.url] } }
    const { url } = await startBaxter({ url: agent.url }, { peers })
    const { talk, surfaceId } = await shown(url)
    expect(surfaceId).toMatch(/^peer:[\w-]{16}:flight-results$/)
    expect(JSON.stringify(talk.partOf('a2ui-surface')?.data)).toContain(catalogId)
    await talk.press(press(surfaceId))
    await talk.settled(2)
    expect(talk.partOf('response')?.text).toBe('Sally: Chosen.')
    const [first, second] = agent.executions
    expect(second?.contextId).toBe(first?.contextId)
    const [part] = second?.message.parts ?? []
    expect(part).toMatchObject({ mediaType: mimeType, metadata: { mimeType } })
    expect(part?.content?.value).toMatchObject([{ version: 'v0.9', action: { surfaceId: 'flight-results' } }])
  })
})
