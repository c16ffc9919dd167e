import { chatOriginator } from '@cool-ai/beach-chat'
import { expect, test } from 'vitest'
import { folderPlace } from '../encryption/encrypted-context.ts'
import { booker, operator, until } from '../support/phone-context.ts'
import { platforms } from './platforms/index.ts'
import { workChatContext } from './work-chat-context.ts'

const known = platforms.filter(({ platform }) => ['slack', 'teams', 'telegram'].includes(platform))

test.each(known)('nothing of a person who is erased is kept of $platform', async ({ open }) => {
  const { chat, start } = await workChatContext(open)
  const place = folderPlace()
  const { beach } = await start(booker([]), {}, { data: await place.open(false) })
  const user = chat.user('Anna')
  // Someone else has her asked before she has written.
  const ben = { kind: 'user', id: 'ben', tenant: 'default' } as const
  const session = await beach.sessions.open({ principal: ben })
  const principal = { ...ben, id: `${chat.name}:${chat.workspace}:${user}` }
  const to = chatOriginator({ adapter: chat.name, workspace: chat.workspace, user, principal })
  await beach.sessions.join(session, to, ben)
  await beach.sessions.post(session, { parts: [{ text: 'book it', metadata: { partType: 'message' } }], from: to }, ben)
  await until(() => chat.direct('Anna').length === 1)
  await chat.mention('Anna', 'canary-mention?')
  await until(() => chat.team('Anna').length === 1)
  await chat.tell('Anna', 'book canary-direct')
  await until(() => chat.direct('Anna').length === 2)
  const words = new RegExp(`.{0,60}(?:canary-|${user}|"Anna|anna@).{0,60}`, 'g')
  const found = async () => (await place.bytes()).match(words) ?? []
  expect((await found()).length).toBeGreaterThan(10)
  await beach.missives?.erase({ person: `principal:user~${encodeURIComponent(principal.id)}` }, operator)
  expect(await found()).toEqual([])
})
