import { defineActor } from '@cool-ai/beach'
import { connect, logOut, openSession, type Conversation, type Snapshot, type Via } from '@cool-ai/beach-client'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { testAgent } from '@cool-ai/beach-testing'
import { expect, test, type TestContext } from 'vitest'

/** An agent whose machine's clock the test sets forward. */
async function agent(context: TestContext) {
  const shift = { ms: 0 }
  const plain = systemRuntime({ logger: silentLogger })
  const clock = {
    now: () => plain.clock.now() + shift.ms,
    elapsed: () => performance.now() + shift.ms,
    timer: plain.clock.timer.bind(plain.clock),
  }
  const agentRuntime = { ...plain, clock, id: (prefix: string) => plain.id(prefix), random: () => plain.random() }
  const answer = defineActor(async ({ text, respond }) => {
    await respond({ parts: [{ partType: 'response', text: `You said ${text}` }], turnState: 'complete' })
  })
  const tested = await testAgent({ runtime: agentRuntime, actors: { main: answer } })
  context.onTestFinished(tested.stop)
  const url = await tested.serve()
  return { url, shift }
}

/** Waits until the conversation is as it is wanted. */
function until(conversation: Conversation, isThere: (snapshot: Snapshot) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (isThere(conversation.snapshot)) resolve()
    }
    conversation.on('change', look)
    look()
  })
}

test.for<Via>(['websocket', 'sse'])('a conversation by %s goes on when its token has ended', async (via, context) => {
  const { url, shift } = await agent(context)
  const { sessionId, token } = await openSession({ url })
  shift.ms += 2 * 60 * 60_000
  const conversation = connect({ url, sessionId, ...(token && { token }), via })
  await conversation.send('hello')
  await until(conversation, ({ parts }) => parts.some(({ text }) => text === 'You said hello'))
  expect(conversation.connection.via).toBe(via)
  conversation.close()
})

test('logging out ends a conversation that is open, for good', async (context) => {
  const { url } = await agent(context)
  const { sessionId, token } = await openSession({ url })
  const conversation = connect({ url, sessionId, ...(token && { token }) })
  await until(conversation, ({ connection }) => connection.state === 'open')
  await logOut({ url, ...(token && { token }) })
  await until(conversation, ({ connection }) => connection.state === 'closed')
  expect(conversation.connection.error?.code).toBe('UNAUTHENTICATED')
})
