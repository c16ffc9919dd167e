import { expect, test } from 'vitest'
import { echo, operator, until } from '../support/phone-context.ts'
import { slackChat } from './platforms/slack.ts'
import { workChatContext, type WorkChatContext } from './work-chat-context.ts'

async function talking(more: Parameters<WorkChatContext['start']>[1] = {}) {
  const setup = await workChatContext(slackChat)
  const process = await setup.start(echo, more)
  const said = (channel: string) => setup.chat.standIn.messages.filter((each) => each.channel === channel)
  const sessions = async () => (await process.beach.sessions.list({}, operator)).items
  return { ...setup, standIn: setup.chat.standIn, said, sessions }
}

test('with listensTo: threads, replies in a thread of the agent’s need no mention', async () => {
  const { standIn, chat } = await talking({ listensTo: 'threads' })
  const root = await chat.mention('Anna', 'one')
  await until(() => chat.team('Anna').length === 1)
  await standIn.say('UBEN', 'two', { channel: 'CTEAM', thread: root })
  await until(() => chat.team('Anna').length === 2)
  expect(chat.team('Anna').at(-1)?.text).toBe('You said: two')
})

test('a person with the same id in another workspace is someone else', async () => {
  const { standIn, sessions, chat } = await talking()
  const event = { type: 'message', channel_type: 'im', channel: 'DUANNA', user: 'UANNA', text: 'hello' }
  await standIn.deliver(standIn.eventBody({ ...event, ts: '1.1', team: 'T1', team_id: 'T1' }))
  await standIn.deliver(standIn.eventBody({ ...event, ts: '1.2', team: 'T2', team_id: 'T2' }))
  await until(() => chat.direct('Anna').length === 2)
  expect((await sessions()).length).toBe(2)
})
