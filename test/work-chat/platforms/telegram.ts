import { TelegramStandIn, telegramButtons, telegramText, type TelegramMessage } from '@cool-ai/beach-testing/telegram'
import { createTelegramAdapter } from '@chat-adapter/telegram'
import { silent } from '../silent.ts'
import { seenMessages } from './seen-messages.ts'
import type { Said, WorkChat } from './work-chat.ts'

const group = -1_001_000_000_001

/** Telegram, with people and one group. */
export function telegramChat(now: () => number): WorkChat & { readonly standIn: TelegramStandIn } {
  const standIn = new TelegramStandIn(now)
  const idOf = (person: string) => TelegramStandIn.userId(person)
  const { seen, found } = seenMessages((message: TelegramMessage) => ({
    id: String(message.id),
    thread: String(message.chat),
    text: telegramText(message),
    buttons: telegramButtons(message).map(({ label }) => label),
    edits: message.edits,
    file: message.file,
  }))
  const shown = (chat: number) =>
    standIn.messages.filter((message) => message.user === undefined && message.chat === chat).map(seen)
  const numbered = (id: string | undefined) => (id === undefined ? undefined : Number(id))
  let count = 0
  const update = (person: string, text: string) => {
    const chat = { id: idOf(person), type: 'private', first_name: person }
    const from = { id: idOf(person), is_bot: false, first_name: person, username: person.toLowerCase() }
    const date = Math.floor(now() / 1_000)
    return standIn.update({ message: { message_id: 900_000 + ++count, date, chat, from, text } })
  }
  return {
    name: 'telegram',
    workspace: '-',
    standIn,
    server: standIn.server,
    rate: standIn.rate,
    adapter: () => createTelegramAdapter({ ...standIn.account, logger: silent }),
    listen: () => standIn.server.listen(),
    reach: (webhook) => void (standIn.webhook = webhook),
    close: () => standIn.close(),
    user: (person) => String(idOf(person)),
    tell: async (person, text, { id }: Said = {}) => String(await standIn.say(person, text, { id: numbered(id) })),
    async mention(person, text, { id }: Said = {}) {
      await standIn.say(person, `@${standIn.botName} ${text}`, { chat: group, id: numbered(id) })
      return String(group)
    },
    murmur: (person, text) => standIn.say(person, text, { chat: group }),
    press: (person, message, label, event) => standIn.press(person, found(message), label, event),
    command: (person, words, { inTeam, event }) =>
      standIn.say(person, words, { id: Number(event), ...(inTeam && { chat: group }) }),
    direct: (person) => shown(idOf(person)),
    team: () => shown(group),
    remove: (message) => void standIn.messages.splice(standIn.messages.indexOf(found(message)), 1),
    attempts: () => standIn.attempts,
    statuses: () => standIn.typing.length,
    refusal: { kind: 'answer', status: 403, body: { ok: false, error_code: 403, description: 'Forbidden: kicked' } },
    forged: {
      'has no secret': () => fetch(standIn.webhook, { method: 'POST', body: update('Eve', 'hello') }),
      'has another secret': () => standIn.deliver(update('Eve', 'hello'), 'another-secret'),
    },
    odd: {
      'a body that is no JSON': () => standIn.deliver('{"update_id":'),
      'JSON that is nested 10000 deep': () => standIn.deliver('['.repeat(10_000) + ']'.repeat(10_000)),
      'a key that reaches a prototype': () => standIn.deliver('{"__proto__":{"polluted":true},"update_id":1}'),
      'a body of other things than it should have': () => standIn.deliver('{"update_id":"x","message":7}'),
      'an update of an unknown kind': () => standIn.deliver(standIn.update({ hologram: {} })),
    },
    event(person, text) {
      const given = update(person, text)
      return () => standIn.deliver(given)
    },
  }
}
