import { expect, test } from 'vitest'
import { echo, until } from '../support/phone-context.ts'
import { slackChat } from './platforms/slack.ts'
import { workChatContext, type WorkChatContext } from './work-chat-context.ts'

async function talking(more: Parameters<WorkChatContext['start']>[1] = {}) {
  const setup = await workChatContext(slackChat)
  await setup.start(echo, more)
  return { ...setup, standIn: setup.chat.standIn }
}

test('with listensTo: threads, replies in a thread of the agent’s need no mention', async () => {
  const { standIn, chat } = await talking({ listensTo: 'threads' })
  const root = await chat.mention('Anna', 'one')
  await until(() => chat.team('Anna').length === 1)
  await standIn.say('UBEN', 'two', { channel: 'CTEAM', thread: root })
  await until(() => chat.team('Anna').length === 2)
  expect(chat.team('Anna').at(-1)?.text).toBe('You said: two')
})
