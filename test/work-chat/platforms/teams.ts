import { TeamsStandIn, teamsButtons, teamsFile, teamsText, type TeamsMessage } from '@cool-ai/beach-testing/teams'
import { createTeamsAdapter } from '@chat-adapter/teams'
import { silent } from '../silent.ts'
import { strangersKey } from '../strangers-key.ts'
import { seenMessages } from './seen-messages.ts'
import type { Said, WorkChat } from './work-chat.ts'

/** Teams, with people of one tenant. */
export function teamsChat(now: () => number): WorkChat & { readonly standIn: TeamsStandIn } {
  const standIn = new TeamsStandIn(now)
  const channel = standIn.channel('team')
  const user = (person: string) => TeamsStandIn.userId(person)
  const { seen, found } = seenMessages((message: TeamsMessage) => ({
    id: message.id,
    thread: message.conversation,
    text: teamsText(message),
    buttons: teamsButtons(message).map(({ label }) => label),
    edits: message.edits,
    file: teamsFile(message),
  }))
  const shown = (conversation: (id: string) => boolean, person: string) =>
    standIn.messages
      .filter((message) => message.user === undefined && conversation(message.conversation))
      .filter(({ onlyFor }) => onlyFor === undefined || onlyFor === user(person))
      .map(seen)
  let count = 0
  const body = (person: string, text: string, tenant?: string) => {
    const id = String(1_600_000_000_000 + ++count)
    return standIn.activity(person, { id, conversation: standIn.direct(person), text }, tenant)
  }
  standIn.know('Anna', 'Ben', 'Desk', 'Eve')
  return {
    name: 'teams',
    workspace: standIn.tenant,
    standIn,
    server: standIn.server,
    rate: standIn.rate,
    adapter: () => standIn.attach(createTeamsAdapter({ ...standIn.account, logger: silent })),
    listen: () => standIn.server.listen(),
    reach: (webhook) => void (standIn.webhook = webhook),
    close: () => standIn.close(),
    user,
    tell: (person, text, { id }: Said = {}) => standIn.say(person, text, { id }),
    async mention(person, text, { thread, id }: Said = {}) {
      const said = await standIn.say(person, text, { conversation: thread ?? channel, id, isMention: true })
      return thread ?? `${channel};messageid=${said}`
    },
    murmur: (person, text) => standIn.say(person, text, { conversation: channel }),
    press: (person, message, label, event) => standIn.press(person, found(message), label, event),
    async openForm(person, message, label) {
      const at = found(message)
      const dialog = await standIn.openDialog(person, at, label)
      const idOf = (name: string) => dialog.body.find(({ label: words }) => words === name)?.id ?? name
      return {
        fields: Object.fromEntries(dialog.body.map(({ label: words = '', value }) => [words, value])),
        send: (values, by = person) =>
          standIn.submitDialog(
            by,
            at,
            dialog,
            Object.fromEntries(Object.entries(values).map(([name, value]) => [idOf(name), value])),
          ),
      }
    },
    direct: (person) => shown((id) => id === standIn.direct(person), person),
    team: (person) => shown((id) => id.startsWith(channel), person),
    remove: (message) => void standIn.messages.splice(standIn.messages.indexOf(found(message)), 1),
    attempts: () => standIn.attempts,
    statuses: () => standIn.typing.length,
    refusal: {
      kind: 'answer',
      status: 403,
      body: { error: { code: 'ConversationBlockedByUser', message: 'Blocked' } },
    },
    forged: {
      'has no token': () => fetch(standIn.webhook, { method: 'POST', body: body('Eve', 'hello') }),
      'has a token of other keys': () => standIn.deliver(body('Eve', 'hello'), standIn.token({ key: strangersKey })),
      'has a token for another bot': () => standIn.deliver(body('Eve', 'hello'), standIn.token({ audience: 'other' })),
      'has a token of another issuer': () =>
        standIn.deliver(body('Eve', 'hello'), standIn.token({ issuer: 'https://login.example' })),
      'has a token for another service': () =>
        standIn.deliver(body('Eve', 'hello'), standIn.token({ serviceUrl: 'https://other.example' })),
      'has a token that is over': () =>
        standIn.deliver(body('Eve', 'hello'), standIn.token({ at: Date.now() - 2 * 60 * 60_000 })),
    },
    odd: {
      'a body that is no JSON': () => standIn.deliver('{"type":'),
      'JSON that is nested 10000 deep': () => standIn.deliver('['.repeat(10_000) + ']'.repeat(10_000)),
      'a key that reaches a prototype': () => standIn.deliver('{"__proto__":{"polluted":true},"type":"message"}'),
      'an activity without a sender': () =>
        standIn.deliver(JSON.stringify({ type: 'message', id: '1', text: 'x', serviceUrl: standIn.serviceUrl })),
      'an activity of an unknown type': () =>
        standIn.deliver(JSON.stringify({ type: 'hologram', id: '1', serviceUrl: standIn.serviceUrl })),
    },
    event(person, text, workspace) {
      const given = body(person, text, workspace)
      return () => standIn.deliver(given)
    },
  }
}
