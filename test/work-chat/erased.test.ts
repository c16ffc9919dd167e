import type { ActorContext } from '@cool-ai/beach'
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
  // Teams names people by their ids of Entra, too.
  const entra = /[0-9a-f-]{36}(?=_)/
  const words = new RegExp(`.{0,60}(?:canary-|${user}|"Anna|anna@|${entra.source}).{0,60}`, 'g')
  const found = async () => (await place.bytes()).match(words) ?? []
  expect((await found()).length).toBeGreaterThan(10)
  await beach.missives?.erase({ person: `principal:user~${encodeURIComponent(principal.id)}` }, operator)
  expect(await found()).toEqual([])
})

test.each(known)(
  'a person who is erased takes nobody else’s words in a thread of $platform along',
  async ({ open }) => {
    const { chat, start } = await workChatContext(open)
    const place = folderPlace()
    const answer = { partType: 'response', text: 'I see.' }
    const actor = ({ respond }: ActorContext) => respond({ parts: [answer], turnState: 'complete' })
    const { beach } = await start(actor, {}, { data: await place.open(false) })
    const thread = await chat.mention('Anna', 'canary-of-anna?')
    await until(() => chat.team('Anna').length === 1)
    await chat.mention('Ben', 'canary-of-ben?', { thread })
    await until(() => chat.team('Anna').length === 2)
    await chat.mention('Anna', 'canary-again?', { thread })
    await until(() => chat.team('Anna').length === 3)
    await beach.missives?.caughtUp()
    const idOf = (person: string) => `${chat.name}:${chat.workspace}:${chat.user(person)}`
    const erase = (person: string) =>
      beach.missives?.erase({ person: `principal:user~${encodeURIComponent(idOf(person))}` }, operator)
    const found = async (words: RegExp) => [...new Set((await place.bytes()).match(words))].toSorted()
    const said = async () => {
      const { items = [] } = (await beach.missives?.find({ direction: 'in' }, operator)) ?? {}
      return items.flatMap(({ parts }) => parts.map(({ text = '' }) => text)).toSorted()
    }
    expect(await said()).toEqual(['canary-again?', 'canary-of-anna?', 'canary-of-ben?'])

    await erase('Ben')
    expect(await found(/canary-of-\w+/g)).toEqual(['canary-of-anna'])
    expect(await found(new RegExp(chat.user('Ben'), 'g'))).toEqual([])
    expect(await said()).toEqual(['canary-again?', 'canary-of-anna?'])
    await chat.mention('Ben', 'canary-later?', { thread })
    await until(() => chat.team('Anna').length === 4)
    expect((await beach.sessions.list({}, operator)).items).toHaveLength(1)

    // Who has begun the thread has the session: it goes with them.
    await erase('Anna')
    expect(await found(/canary-[\w-]+/g)).toEqual([])
    expect(await found(new RegExp(chat.user('Anna'), 'g'))).toEqual([])
  },
)
