import type { Task } from '@a2a-js/sdk'
import { defineActor } from '@cool-ai/beach'
import { SqliteStore } from '@cool-ai/beach-session/sqlite'
import { describe, expect, test } from 'vitest'
import {
  approvalIn,
  collect,
  data,
  Gate,
  getTask,
  request,
  runtime,
  says,
  send,
  startAgent,
  stateOf,
  statesIn,
  stockClient,
  ways,
} from './agent.ts'
import { sqliteFile } from './sqlite-file.ts'

/** Pays once it is approved, and twice when it is told to; when `isSlow`, not before the gate is open. */
function paying(isSlow = false) {
  const ran: string[] = []
  const gate = new Gate()
  const actor = defineActor(async ({ text, respond, tool }) => {
    for (const name of text === 'pay twice' ? ['pay', 'tip'] : ['pay']) {
      await tool({ name, args: {}, requiresApproval: true }, async () => {
        ran.push(text)
        if (isSlow) await gate.opened
        return 'paid'
      })
    }
    await respond({ parts: [{ partType: 'response', text: 'Done.' }], turnState: 'complete' })
  })
  return { ran, actor, gate }
}

/** The message that decides what a task waits for. */
function decision(asked: Task, how: 'granted' | 'denied') {
  const parts = [data({ approvalId: approvalIn(asked), decision: how }, 'approval-response')]
  return says('', { taskId: asked.id, parts })
}

describe('a decision that comes twice', () => {
  const granted = (task: Task) => decision(task, 'granted')

  test('is one decision, and answered with the task as it stands', async () => {
    const { ran, actor } = paying()
    const { url } = await startAgent({ actors: { actor } })
    const client = await stockClient(url)
    const asked = await send(client, says('pay'))
    const message = granted(asked)
    const done = await send(client, message)
    expect(stateOf(done)).toBe('COMPLETED')
    expect(await send(client, message)).toEqual(done)
    expect(await collect(client.sendMessageStream(request(message)))).toEqual([{ $case: 'task', value: done }])
    expect(ran).toEqual(['pay'])
  })

  test.each(ways)('by %s, is known while the task is under way, and followed to its end', async (way) => {
    const { ran, actor, gate } = paying(true)
    const { url } = await startAgent({ actors: { actor } })
    const client = await stockClient(url, way)
    const asked = await send(client, says('pay'))
    const message = granted(asked)
    const first = send(client, message)
    await expect.poll(() => ran).toEqual(['pay'])
    const again = send(client, message)
    const stream = client.sendMessageStream(request(message))
    const { value: begin } = await stream.next()
    expect(begin?.payload).toMatchObject({ $case: 'task', value: { id: asked.id } })
    gate.open()
    expect(statesIn(await collect(stream)).at(-1)).toBe('COMPLETED')
    expect((await Promise.all([first, again])).map(stateOf)).toEqual(['COMPLETED', 'COMPLETED'])
    expect(ran).toEqual(['pay'])
  })

  test('is one decision when all come at once', async () => {
    const { ran, actor } = paying()
    const { url } = await startAgent({ actors: { actor } })
    const client = await stockClient(url)
    const message = granted(await send(client, says('pay')))
    const tasks = await Promise.all(Array.from({ length: 5 }, () => send(client, message)))
    expect(tasks.map(stateOf)).toEqual(Array.from({ length: 5 }, () => 'COMPLETED'))
    expect(ran).toEqual(['pay'])
  })

  test('is known to the agent of after a restart, and to another one on the same store', async () => {
    const { ran, actor } = paying()
    const path = sqliteFile()
    const start = async () =>
      startAgent({ actors: { actor }, data: { store: await SqliteStore.open({ path, runtime }) } })
    const [one, other] = [await start(), await start()]
    const client = await stockClient(one.url)
    const message = granted(await send(client, says('pay')))
    const done = await send(client, message)
    expect(await send(await stockClient(other.url), message)).toEqual(done)
    await one.stop()
    await other.stop()
    expect(await send(await stockClient((await start()).url), message)).toEqual(done)
    expect(ran).toEqual(['pay'])
  })

  test('is answered at once when the task asks for something else by now', async () => {
    const { ran, actor } = paying()
    const { url } = await startAgent({ actors: { actor } })
    const client = await stockClient(url)
    const asked = await send(client, says('pay twice'))
    const message = granted(asked)
    const second = await send(client, message)
    expect(stateOf(second)).toBe('INPUT_REQUIRED')
    expect(approvalIn(second)).not.toBe(approvalIn(asked))
    expect(await send(client, message)).toEqual(second)
    expect(statesIn(await collect(client.sendMessageStream(request(message))))).toEqual(['INPUT_REQUIRED'])
    expect(ran).toEqual(['pay twice'])
  })

  test('is refused with another decision, and for another approval', async () => {
    const { ran, actor } = paying()
    const { url } = await startAgent({ actors: { actor } })
    const client = await stockClient(url)
    const asked = await send(client, says('pay twice'))
    const message = granted(asked)
    const second = await send(client, message)
    const { messageId } = message
    const used = /messageId was used for another message/
    await expect(send(client, { ...decision(asked, 'denied'), messageId })).rejects.toThrow(used)
    await expect(send(client, { ...granted(second), messageId })).rejects.toThrow(used)
    expect(stateOf(await getTask(client, asked.id))).toBe('INPUT_REQUIRED')
    expect(ran).toHaveLength(1)
  })

  test('is another decision with another messageId, and comes too late', async () => {
    const { ran, actor } = paying()
    const { url } = await startAgent({ actors: { actor } })
    const client = await stockClient(url)
    const asked = await send(client, says('pay'))
    await send(client, granted(asked))
    for (const how of ['granted', 'denied'] as const) {
      await expect(send(client, decision(asked, how))).rejects.toThrow(/already been decided/)
    }
    expect(ran).toEqual(['pay'])
  })

  test('is no decision with the messageId of another message of the task', async () => {
    const { ran, actor } = paying()
    const { url } = await startAgent({ actors: { actor } })
    const client = await stockClient(url)
    const message = says('pay')
    const asked = await send(client, message)
    const { messageId } = message
    await expect(send(client, { ...granted(asked), messageId })).rejects.toThrow(/messageId was used/)
    expect(ran).toEqual([])
  })
})
