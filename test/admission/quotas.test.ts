import type { Principal } from '@cool-ai/beach-core'
import { defineTool, llmActor } from '@cool-ai/beach-llm'
import { testAgent } from '@cool-ai/beach-testing'
import type { BeachOptions } from '@cool-ai/beach'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  inputSchema: z.object({}),
  handler: () => 'x'.repeat(4_000),
})
const clerk = () => llmActor({ model: 'test/none', instructions: 'You look.', tools: [look] })
const again = { tools: [{ name: 'look', args: {} }] }
const answers = ['Hello.', again, again, again, again, 'Found.', 'A new day.', 'And another.', 'One more.', 'The last.']

async function start(limits: BeachOptions['limits']) {
  const agent = await testAgent({ actors: { clerk: clerk() }, model: answers, limits })
  onTestFinished(agent.stop)
  return agent
}

test('a tenant whose tokens of the day are spent in mid-turn is told so, and is refused until midnight', async () => {
  const agent = await start({ tenant: { tokens: { perDay: 5_000 } } })
  expect((await agent.say('hello')).text).toBe('Hello.')
  const turn = await agent.say('look')
  expect(turn.turnState).toBe('error')
  const error = turn.parts.find(({ partType }) => partType === 'error')
  expect(error?.metadata.code).toBe('BUDGET')
  expect(error?.text).toMatch(
    /^The tokens of models that may be used are used up for today, for all users together\. Ask again after 00:00 UTC, in \d+ h \d+ min\.$/,
  )
  await expect(agent.say('go on')).rejects.toMatchObject({ code: 'TOO_MANY', details: { limit: 'tenant.tokens' } })
  await agent.advance('24 hours')
  expect((await agent.say('hello again')).turnState).toBe('complete')
})

test('a message that already waits when the tokens are spent gets an answer that says so', async () => {
  const agent = await start({ principal: { turns: { perDay: 2 } } })
  await agent.say('hello')
  const { sessions } = agent.beach
  const owner: Principal = { kind: 'user', id: 'ann', tenant: 'default' }
  const from = { id: 'own:1', transport: 'own', deliveryClass: 'buffered', principal: owner } as const
  const session = await sessions.open({ principal: owner })
  const post = () =>
    sessions.post(session, { parts: [{ text: 'look', metadata: { partType: 'message' } }], from }, owner)
  await post()
  await agent.advance('1 minute')
  await post()
  await agent.advance('1 minute')
  await expect(post()).rejects.toMatchObject({ code: 'TOO_MANY', details: { limit: 'principal.turns' } })
})
