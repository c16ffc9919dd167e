import { resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client'
import { expect, test } from 'vitest'
import { startServer } from '../../support/server-process.ts'
import { Gate } from '../../stop/gate.ts'
import { textsOf } from '../support.ts'
import { ask, taskClient, type TaskPerson } from './task-client.ts'

const program = 'test/mcp/tasks/task-program.ts'
const grants: TaskPerson = () => ({ action: 'accept', content: { decision: 'granted' } })

test('a task outlives its process: its client goes on with it by its id', async (context) => {
  const gate = await Gate.open(context)
  const server = await startServer(context, { program, variables: { GATE: gate.url } })
  const url = new URL('/mcp', server.url)
  const before = await taskClient(url)
  const execution = await before.callTool('ask_clerk', { message: 'flights' })
  if (execution.kind !== 'task') throw new Error('This is no task.')
  const reference = execution.serializeReference()
  await execution.detach()
  await gate.asked('flights')
  await server.kill9()
  await server.start()
  const session = await taskClient(url)
  const resumed = await session.resumeTask(reference)
  await gate.open('flights', 'BA 2043')
  const { outcome } = await resumed.settle()
  expect(textsOf(resultFromTaskOutcome(outcome) as never)[0]?.text).toBe('BA 2043')
})

test('a task that waits for an approval asks for the same one after its process was killed', async (context) => {
  const server = await startServer(context, { program })
  const url = new URL('/mcp', server.url)
  const person = grants
  const params = { name: 'ask_clerk', arguments: { message: 'book it' } }
  const { taskId } = (await ask(url, 'tools/call', params, { person })).result as { taskId?: string }
  const read = async () => (await ask(url, 'tasks/get', { taskId }, { person })).result
  await expect.poll(async () => (await read())?.status).toBe('input_required')
  const asked = await read()
  await server.kill9()
  await server.start()
  expect(await read()).toEqual(asked)
  const session = await taskClient(url, { person })
  const { taskId: id, endpointId } = { taskId: taskId as never, endpointId: session.endpointId }
  const resumed = await session.resumeTask({
    endpointId,
    generation: 'v2',
    taskId: id,
    originalOperation: 'tools/call',
  })
  const { outcome } = await resumed.settle()
  expect(textsOf(resultFromTaskOutcome(outcome) as never)[0]?.text).toBe('booking: ok')
})
