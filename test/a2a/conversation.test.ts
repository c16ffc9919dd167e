import { describe, expect, test } from 'vitest'
import {
  collect,
  foldArtifacts,
  getTask,
  says,
  send,
  startAgent,
  stateOf,
  statesIn,
  stockClient,
  request,
  answerOf,
  textsOf,
  ways,
} from './agent.ts'

describe.each(ways)('the stock client by %s', (way) => {
  test('sends a message and gets the completed task with its answer', async () => {
    const { url } = await startAgent()
    const client = await stockClient(url, way)
    const task = await send(client, says('hello'))
    expect(stateOf(task)).toBe('COMPLETED')
    expect(answerOf(task)).toEqual(['You said hello'])
    expect(task.artifacts.map(({ parts }) => parts[0]?.content)).toEqual([{ $case: 'text', value: 'You said hello' }])
    expect(task.history.map((message) => textsOf(message))).toEqual([['hello']])
  })

  test('gets a task again', async () => {
    const { url } = await startAgent()
    const client = await stockClient(url, way)
    const task = await send(client, says('hello'))
    const again = await getTask(client, task.id)
    expect(again).toEqual(task)
  })

  test('streams: the task first, then what happens to it, then its end', async () => {
    const { url } = await startAgent()
    const client = await stockClient(url, way)
    const events = await collect(client.sendMessageStream(request(says('hello'))))
    expect(events[0]?.$case).toBe('task')
    expect(statesIn(events).at(0)).toBe('SUBMITTED')
    expect(statesIn(events).at(-1)).toBe('COMPLETED')
    expect([...foldArtifacts(events).values()]).toEqual(['You said hello'])
  })
})
