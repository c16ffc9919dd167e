import { defineActor } from '@cool-ai/beach'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client'
import { describe, expect, test } from 'vitest'
import { answerOf, connect, newToken, runtime, say, startConcierge, textsOf } from '../support.ts'
import { ask, taskClient, type TaskPerson } from './task-client.ts'
import { mergeOptions } from '../../support/merge-options.ts'

// The tasks extension of MCP (io.modelcontextprotocol/tasks, 2026-07-28), with its stock client.

const tool = 'ask_the_concierge'
const atOnce = { protocols: { mcp: { tasks: { afterMs: 0 } } } }
const grants: TaskPerson = () => ({ action: 'accept', content: { decision: 'granted' } })

/** An actor that says that it works, and answers when the test lets it. */
function gated() {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const actor = defineActor(async ({ text, respond }) => {
    await respond({ parts: [{ partType: 'thinking', text: 'Looking.' }], turnState: 'awaiting' })
    await opened
    return respond({ parts: [{ partType: 'response', text: `Found: ${text}` }], turnState: 'complete' })
  })
  return { actors: { actor }, open }
}

type Settled = Awaited<ReturnType<Awaited<ReturnType<Awaited<ReturnType<typeof taskClient>>['callTool']>>['settle']>>

const firstText = ({ outcome }: Settled) => textsOf(resultFromTaskOutcome(outcome) as never)[0]?.text

const create = async (url: URL, message: string, options = {}) =>
  (await ask(url, 'tools/call', { name: tool, arguments: { message } }, options)).result as Record<string, string>

const get = async (url: URL, taskId = '', options = {}) =>
  (await ask(url, 'tasks/get', { taskId }, options)).result as Record<string, unknown>

describe('a call of a client that takes tasks', () => {
  test('is answered at once when its turn is short', async () => {
    const { url } = await startConcierge()
    const execution = await (await taskClient(url)).callTool(tool, { message: 'hello' })
    expect(execution.kind).toBe('immediate')
    expect(firstText(await execution.settle())).toBe('You said hello')
  })

  test('becomes a task when its turn is long, which says how it stands and has the result in the end', async () => {
    const { open, actors } = gated()
    const { url } = await startConcierge({ actors, protocols: { mcp: { tasks: { afterMs: 1 } } } })
    const session = await taskClient(url)
    const execution = await session.callTool(tool, { message: 'flights' })
    if (execution.kind !== 'task') throw new Error('This is no task.')
    const { taskId } = execution.handle
    await expect
      .poll(() => get(url, taskId))
      .toMatchObject({ status: 'working', statusMessage: 'Looking.', ttlMs: null })
    open()
    const settled = await execution.settle()
    expect(firstText(settled)).toBe('Found: flights')
    const { result, ...task } = await get(url, taskId)
    expect(task).toMatchObject({ taskId, status: 'completed', resultType: 'complete', pollIntervalMs: 1_000 })
    expect(task.ttlMs).toBeGreaterThanOrEqual(24 * 60 * 60_000)
    expect(answerOf(result as never).meta).toMatchObject({ turnState: 'complete' })
    // A task that is over stays so, whatever comes in its conversation.
    await ask(url, 'tasks/cancel', { taskId })
    expect((await get(url, taskId)).status).toBe('completed')
  })

  test('that fails is a completed task whose result has isError', async () => {
    const { url } = await startConcierge(atOnce)
    const { outcome } = await (await (await taskClient(url)).callTool(tool, { message: 'break' })).settle()
    expect(resultFromTaskOutcome(outcome)).toMatchObject({ isError: true })
  })

  test('is no task for a client that does not say so with the call', async () => {
    const { url } = await startConcierge(atOnce)
    const result = await create(url, 'hello', { takesTasks: false })
    expect(result).toMatchObject({ resultType: 'complete', structuredContent: {} })
  })
})

describe('what a task asks', () => {
  test('for an approval is answered by its client, and the task goes on', async () => {
    const { url } = await startConcierge()
    const asked: string[] = []
    const session = await taskClient(url, {
      person: (message, key) => {
        asked.push(message, key)
        return { action: 'accept', content: { decision: 'denied', reason: 'too dear' } }
      },
    })
    const execution = await session.callTool(tool, { message: 'book it' })
    expect(execution.kind).toBe('task')
    expect(firstText(await execution.settle())).toBe('Not booked. too dear')
    expect(asked).toEqual(['Approval needed: Book\nFlight: BA 2043\nPrice: 187', expect.stringMatching(/^approval_/)])
  })

  test('as a question is answered by its client, and the turn of the answer is its own', async () => {
    const { url } = await startConcierge()
    const session = await taskClient(url, { person: () => ({ action: 'accept', content: { answer: 'Gatwick' } }) })
    const execution = await session.callTool(tool, { message: 'find me a flight' })
    expect(firstText(await execution.settle())).toBe('One flight.')
  })

  test('stays open when a form is dismissed, and is decided wherever the approval is', async () => {
    const { url, serving } = await startConcierge()
    const token = await newToken(serving.url)
    const session = await taskClient(url, { token, person: () => ({ action: 'cancel' }) })
    const execution = await session.callTool(tool, { message: 'book it' })
    if (execution.kind !== 'task') throw new Error('This is no task.')
    const { taskId } = execution.handle
    const person = grants
    await ask(url, 'tasks/update', { taskId, inputResponses: {} }, { token, person })
    const { status, inputRequests = {}, ttlMs } = await get(url, taskId, { token, person })
    expect([status, ttlMs]).toEqual(['input_required', null])
    const [approvalId = ''] = Object.keys(inputRequests as object)
    const client = await connect(url, 'legacy', { token })
    const conversationId = taskId.split('.')[0]
    const args = { conversationId, approvalId, decision: 'granted' }
    await client.callTool({ name: `${tool}_resume`, arguments: args })
    expect(firstText(await execution.settle())).toBe('Booked: ref-1.')
  })

  test('is in the result for a client that cannot show forms, whose decision can be a task as well', async () => {
    const { url } = await startConcierge(atOnce)
    const { taskId } = await create(url, 'book it')
    await expect.poll(async () => (await get(url, taskId)).status).toBe('completed')
    const { result } = await get(url, taskId)
    const { conversationId, pendingApprovals: [approvalId] = [] } = answerOf(result as never)
    const session = await taskClient(url)
    const args = { conversationId, approvalId: approvalId ?? '', decision: 'granted' }
    const decided = await session.callTool(`${tool}_resume`, args)
    expect(decided.kind).toBe('task')
    expect(firstText(await decided.settle())).toBe('Booked: ref-1.')
  })

  test('before it can begin is the approval that its conversation waits for', async () => {
    const go = Promise.withResolvers<void>()
    const actor = defineActor(async ({ text, respond, tool: run }) => {
      const said = (words: string) => respond({ parts: [{ partType: 'response', text: words }], turnState: 'complete' })
      if (text !== 'book it') return said(`You said ${text}`)
      await go.promise
      const { outcome } = await run({ name: 'book', args: {}, requiresApproval: true }, async () => 'ref-1')
      return said(outcome)
    })
    const { url } = await startConcierge({ actors: { actor }, ...atOnce })
    const person = grants
    const { taskId: first = '' } = await create(url, 'book it', { person })
    const args = { message: 'more', conversationId: first.split('.')[0] }
    const more = await ask(url, 'tools/call', { name: tool, arguments: args }, { person })
    const { taskId: second = '' } = more.result as { taskId?: string }
    expect((await get(url, second, { person })).status).toBe('working')
    go.resolve()
    await expect.poll(async () => (await get(url, first, { person })).status).toBe('input_required')
    const [ours, theirs] = await Promise.all([get(url, first, { person }), get(url, second, { person })])
    expect(theirs).toMatchObject({ status: 'input_required', inputRequests: ours.inputRequests })
    // A client that cannot show forms is told in the result.
    expect(await get(url, second)).toMatchObject({ result: { structuredContent: { message: 'waiting' } } })
    // While it is open, nothing further is taken: that call is no task.
    const blocked = await ask(url, 'tools/call', { name: tool, arguments: args }, { person })
    expect(blocked.result).toMatchObject({ resultType: 'input_required' })
    const [key = ''] = Object.keys(theirs.inputRequests as object)
    const inputResponses = { [key]: { action: 'accept', content: { decision: 'granted' } } }
    await ask(url, 'tasks/update', { taskId: second, inputResponses }, { person })
    for (const [taskId, text] of [
      [first, 'ok'],
      [second, 'You said more'],
    ] as const) {
      await expect.poll(async () => (await get(url, taskId, { person })).status).toBe('completed')
      const { result } = await get(url, taskId, { person })
      expect(textsOf(result as never)[0]?.text).toBe(text)
    }
  })

  test('and is not answered before the conversation goes on is what it has come to', async () => {
    const { url } = await startConcierge()
    const person = grants
    const { taskId = '' } = await create(url, 'find me a flight', { person })
    expect((await get(url, taskId, { person })).status).toBe('input_required')
    const client = await connect(url, 'modern')
    await say(client, 'never mind', taskId.split('.')[0])
    const { status, result } = await get(url, taskId, { person })
    expect(status).toBe('completed')
    expect(textsOf(result as never)[0]?.text).toBe('From Gatwick or Heathrow?')
    // An answer comes too late then, and says nothing to the agent.
    const inputResponses = {
      [`answer.${answerOf(result as never).meta.turnId}`]: { action: 'accept', content: { answer: 'Gatwick' } },
    }
    expect((await ask(url, 'tasks/update', { taskId, inputResponses }, { person })).error).toBeUndefined()
    expect(await get(url, taskId, { person })).toMatchObject({ status: 'completed', result })
  })

  test.each([
    [{ decision: 'perhaps' }, '`content.decision` must be "granted" or "denied".'],
    [{}, '`content.decision` must be "granted" or "denied".'],
  ])('takes no answer such as %j, and stays open', async (content, problem) => {
    const { url } = await startConcierge()
    const person = grants
    const { taskId } = await create(url, 'book it', { person })
    const { inputRequests } = await get(url, taskId, { person })
    const [key = ''] = Object.keys(inputRequests as object)
    const answer = (response: unknown) =>
      ask(url, 'tasks/update', { taskId, inputResponses: { [key]: response } }, { person })
    expect((await answer({ action: 'accept', content })).error).toMatchObject({
      code: -32_602,
      message: expect.stringContaining(problem) as string,
    })
    expect((await answer({ action: 'perhaps' })).error?.code).toBe(-32_602)
    expect((await answer('yes')).error?.code).toBe(-32_602)
    expect((await get(url, taskId, { person })).status).toBe('input_required')
    expect((await answer({ action: 'decline' })).result).toMatchObject({ resultType: 'complete' })
    await expect.poll(async () => (await get(url, taskId, { person })).status).toBe('completed')
    // What it asks no more is left aside.
    expect((await answer({ action: 'accept', content: { decision: 'granted' } })).error).toBeUndefined()
    const { result } = await get(url, taskId, { person })
    expect(textsOf(result as never)[0]?.text).toMatch(/^Not booked/)
  })
})

describe('a task is cancelled', () => {
  test('while its turn works', async () => {
    const { url } = await startConcierge(atOnce)
    const execution = await (await taskClient(url)).callTool(tool, { message: 'wait' })
    await execution.cancel()
    expect((await execution.settle()).outcome.status).toBe('cancelled')
  })

  test('while it waits for an approval', async () => {
    const { url } = await startConcierge()
    const person = grants
    const { taskId } = await create(url, 'book it', { person })
    expect((await get(url, taskId, { person })).status).toBe('input_required')
    await ask(url, 'tasks/cancel', { taskId }, { person })
    await expect.poll(async () => (await get(url, taskId, { person })).status).toBe('cancelled')
  })

  test('while it asks something, by taking the question back; so is one whose form is dismissed', async () => {
    const { url } = await startConcierge()
    const person = grants
    const { taskId } = await create(url, 'find me a flight', { person })
    expect((await get(url, taskId, { person })).status).toBe('input_required')
    expect((await ask(url, 'tasks/cancel', { taskId }, { person })).result).toMatchObject({ resultType: 'complete' })
    expect((await get(url, taskId, { person })).status).toBe('cancelled')
    const session = await taskClient(url, { person: () => ({ action: 'cancel' }) })
    const execution = await session.callTool(tool, { message: 'find me a flight' })
    expect((await execution.settle()).outcome.status).toBe('cancelled')
  })

  test('before its turn has begun, as soon as it begins', async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
    const ran: string[] = []
    const actor = defineActor(async ({ text, respond, signal }) => {
      ran.push(text)
      if (text === 'first') await opened
      else await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
      return respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })
    })
    const { url, serving } = await startConcierge({ actors: { actor }, ...atOnce })
    const token = await newToken(serving.url)
    const { taskId: first = '' } = await create(url, 'first', { token })
    const args = { message: 'second', conversationId: first.split('.')[0] }
    const waiting = await ask(url, 'tools/call', { name: tool, arguments: args }, { token })
    const { taskId = '' } = waiting.result as { taskId?: string }
    expect(await get(url, taskId, { token })).toMatchObject({ status: 'working' })
    let isAcknowledged = false
    const cancelled = ask(url, 'tasks/cancel', { taskId }, { token }).then(() => (isAcknowledged = true))
    // As long as there is nothing to cancel it is not acknowledged, whatever else is asked meanwhile.
    for (const _ of Array.from({ length: 10 })) await get(url, taskId, { token })
    expect([ran, isAcknowledged]).toEqual([['first'], false])
    open()
    await cancelled
    await expect.poll(async () => (await get(url, taskId, { token })).status).toBe('cancelled')
    expect((await get(url, first, { token })).status).toBe('completed')
  })
})

describe('a task belongs to its caller', () => {
  test('another caller, and one without its id, find nothing', async () => {
    const { url, serving } = await startConcierge(atOnce)
    const token = await newToken(serving.url)
    const other = await newToken(serving.url)
    const { taskId = '' } = await create(url, 'hello', { token })
    const nothing = { code: -32_602, message: 'There is no such task, or it is not yours.' }
    for (const [method, params] of [
      ['tasks/get', {}],
      ['tasks/update', { inputResponses: {} }],
      ['tasks/cancel', {}],
    ] as const) {
      for (const options of [{ token: other }, {}]) {
        expect((await ask(url, method, { taskId, ...params }, options)).error).toMatchObject(nothing)
      }
    }
    const { taskId: guests = '' } = await create(url, 'hello')
    expect((await get(url, guests)).taskId).toBe(guests)
    expect((await ask(url, 'tasks/get', { taskId: guests }, { token })).error).toMatchObject(nothing)
    const [conversation] = taskId.split('.')
    for (const id of ['x', `${conversation}.0`, `${conversation}.999`, `${conversation}.1e3`, `${conversation}.1`]) {
      expect((await ask(url, 'tasks/get', { taskId: id }, { token })).error, id).toMatchObject(nothing)
    }
  })

  test('every process that has its store serves it', async () => {
    const store = new MemoryStore({ runtime })
    const { open, actors } = gated()
    const one = await startConcierge(mergeOptions({ data: { store }, actors }, atOnce))
    const other = await startConcierge(mergeOptions({ data: { store }, actors }, atOnce))
    const { taskId } = await create(one.url, 'flights')
    await expect.poll(async () => (await get(other.url, taskId)).statusMessage).toBe('Looking.')
    open()
    await expect.poll(async () => (await get(other.url, taskId)).status).toBe('completed')
    const [ours, theirs] = await Promise.all([get(one.url, taskId), get(other.url, taskId)])
    expect(ours).toEqual(theirs)
  })

  test('its result expires, and the conversation stays', async () => {
    const { url } = await startConcierge({ protocols: { mcp: { tasks: { afterMs: 0, ttlMs: 1 } } } })
    const { taskId = '' } = await create(url, 'hello')
    const read = async () => (await ask(url, 'tasks/get', { taskId })).error?.message
    await expect.poll(read).toMatch(/^This task has expired/)
    const client = await connect(url, 'modern')
    const { contents } = await client.readResource({ uri: `beach://concierge/conversations/${taskId.split('.')[0]}` })
    expect(JSON.stringify(contents)).toContain('You said hello')
  })
})

describe('the methods of tasks', () => {
  test('want a client that takes tasks', async () => {
    const { url } = await startConcierge(atOnce)
    const { taskId } = await create(url, 'hello')
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const params = { taskId, ...(method === 'tasks/update' && { inputResponses: {} }) }
      expect((await ask(url, method, params, { takesTasks: false })).error, method).toMatchObject({
        code: -32_021,
        data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
      })
    }
  })

  test('are not there when the agent does not serve tasks, nor for clients of earlier revisions', async () => {
    const { url } = await startConcierge({ protocols: { mcp: { tasks: false } } })
    expect((await ask(url, 'tasks/get', { taskId: 'x' })).error?.code).toBe(-32_601)
    expect(await create(url, 'hello')).toMatchObject({ resultType: 'complete' })
    const { url: serving } = await startConcierge()
    const client = await connect(serving, 'legacy')
    await expect(client.request({ method: 'tasks/get', params: { taskId: 'x' } }, anything)).rejects.toThrow(
      'not found',
    )
    expect(textsOf(await say(client, 'hello'))[0]?.text).toBe('You said hello')
  })
})

/** Takes any result: the stock client wants to be told what the result of a method that it does not know is. */
const anything = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const
