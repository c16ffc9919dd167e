import {
  GoogleChatStandIn,
  googleChatButtons,
  googleChatText,
  type GoogleChatMessage,
} from '@cool-ai/beach-testing/gchat'
import { createGoogleChatAdapter } from '@chat-adapter/gchat'
import { silent } from '../silent.ts'
import { strangersKey } from '../strangers-key.ts'
import { redirected } from './redirected.ts'
import { seenMessages } from './seen-messages.ts'
import type { Said, WorkChat } from './work-chat.ts'

const space = 'spaces/TEAM'

/** Google Chat, with people and one space. */
export function googleChat(now: () => number): WorkChat & { readonly standIn: GoogleChatStandIn } {
  const standIn = new GoogleChatStandIn(now)
  const { from } = standIn.certificates
  const keys = redirected(from, () => standIn.certificates.to)
  const user = (person: string) => GoogleChatStandIn.userId(person)
  const { seen, found } = seenMessages((message: GoogleChatMessage) => ({
    id: message.name,
    thread: message.thread,
    text: googleChatText(message),
    buttons: googleChatButtons(message).map(({ label }) => label),
    edits: message.edits,
  }))
  const shown = (where: string, person: string) =>
    standIn.messages
      .filter((message) => message.user === undefined && message.space === where)
      .filter(({ onlyFor }) => onlyFor === undefined || onlyFor === user(person))
      .map(seen)
  let count = 0
  const event = (person: string, text: string) => {
    count += 1
    return standIn.messageEvent(person, text, { space: standIn.direct(person), id: `e${count}.e${count}` })
  }
  standIn.know('Anna', 'Ben', 'Desk', 'Eve')
  return {
    name: 'gchat',
    workspace: '-',
    standIn,
    server: standIn.server,
    rate: standIn.rate,
    adapter: () => standIn.attach(createGoogleChatAdapter({ ...standIn.account, logger: silent })),
    listen: () => standIn.server.listen(),
    reach: (webhook) => void (standIn.webhook = webhook),
    async close() {
      keys.restore()
      await standIn.close()
    },
    user,
    tell: async (person, text, { id }: Said = {}) => (await standIn.say(person, text, { id })).name,
    async mention(person, text, { thread, id }: Said = {}) {
      return (await standIn.say(person, `@beach ${text}`, { space, thread, id })).thread
    },
    murmur: (person, text) => standIn.say(person, text, { space }),
    press: (person, message, label, again) => standIn.press(person, found(message), label, again),
    direct: (person) => shown(standIn.direct(person), person),
    team: (person) => shown(space, person),
    remove: (message) => void standIn.messages.splice(standIn.messages.indexOf(found(message)), 1),
    attempts: () => standIn.attempts,
    statuses: () => 0,
    refusal: { kind: 'answer', status: 403, body: { error: { code: 403, message: 'The app was removed.' } } },
    forged: {
      'has no token': () => fetch(standIn.webhook, { method: 'POST', body: event('Eve', 'hello') }),
      'has a token of other keys': () => standIn.deliver(event('Eve', 'hello'), standIn.token({ key: strangersKey })),
      'has a token for another project': () => standIn.deliver(event('Eve', 'hello'), standIn.token({ audience: '1' })),
      'has a token of another issuer': () =>
        standIn.deliver(event('Eve', 'hello'), standIn.token({ issuer: 'eve@project.example' })),
      'has a token that is over': () =>
        standIn.deliver(event('Eve', 'hello'), standIn.token({ at: Date.now() - 2 * 60 * 60_000 })),
    },
    odd: {
      'a body that is no JSON': () => standIn.deliver('{"chat":'),
      'JSON that is nested 10000 deep': () => standIn.deliver('['.repeat(10_000) + ']'.repeat(10_000)),
      'a key that reaches a prototype': () => standIn.deliver('{"__proto__":{"polluted":true},"chat":{}}'),
      'an event of other things than it should have': () => standIn.deliver('{"chat":{"messagePayload":7}}'),
      'a press without a message': () => standIn.deliver('{"chat":{"buttonClickedPayload":{}}}'),
      'an event of an unknown kind': () => standIn.deliver('{"chat":{"hologramPayload":{}}}'),
    },
    event(person, text) {
      const given = event(person, text)
      return () => standIn.deliver(given)
    },
  }
}
