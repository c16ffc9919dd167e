import { DiscordStandIn, discordButtons, discordText, type DiscordMessage } from '@cool-ai/beach-testing/discord'
import { createDiscordAdapter } from '@chat-adapter/discord'
import { silent } from '../silent.ts'
import { redirected } from './redirected.ts'
import { seenMessages } from './seen-messages.ts'
import type { Said, WorkChat } from './work-chat.ts'

/** Discord, with people of one server. */
export function discordChat(now: () => number): WorkChat & { readonly standIn: DiscordStandIn } {
  const standIn = new DiscordStandIn(now)
  const team = standIn.channel('team')
  const user = (person: string) => DiscordStandIn.userId(person)
  const threads = new Set<string>()
  // The adapter sends uploads to Discord itself, whatever `apiUrl` says.
  const uploads = redirected('https://discord.com/api/v10', () => standIn.server.origin)
  const { seen, found } = seenMessages((message: DiscordMessage) => ({
    id: message.id,
    thread: message.channel,
    text: discordText(message),
    buttons: discordButtons(message).map(({ label }) => label),
    edits: message.edits,
    file: message.file,
  }))
  const ofAgent = ({ user: from }: DiscordMessage) => from === standIn.applicationId
  let count = 0
  const event = (person: string, text: string) => {
    const id = String(500_000_000_000_000_000n + BigInt(++count))
    return standIn.messageEvent(person, text, { id, channel: standIn.directChannel(user(person)) })
  }
  const pressed = () => {
    const channel = standIn.directChannel(user('Eve'))
    const data = { custom_id: 'approve', component_type: 2 }
    return JSON.stringify({ type: 3, id: '1', channel_id: channel, data, message: { id: '2' }, user: { id: '3' } })
  }
  return {
    name: 'discord',
    workspace: '-',
    standIn,
    server: standIn.server,
    rate: standIn.rate,
    adapter: () => createDiscordAdapter({ ...standIn.account, logger: silent }),
    listen: () => standIn.server.listen(),
    reach: (webhook) => void (standIn.webhook = webhook),
    async close() {
      uploads.restore()
      await standIn.close()
    },
    user,
    tell: (person, text, { id }: Said = {}) => standIn.say(person, text, { id }),
    async mention(person, text, { thread, id }: Said = {}) {
      const said = await standIn.say(person, `<@${standIn.applicationId}> ${text}`, { channel: thread ?? team, id })
      threads.add(thread ?? said)
      return thread ?? said
    },
    murmur: (person, text) => standIn.say(person, text, { channel: team }),
    press: (person, message, label, again) => standIn.press(person, found(message), label, again),
    command(person, words, { inTeam, event: id }) {
      const [command = '', ...text] = words.slice(1).split(' ')
      return standIn.command(person, command, text.join(' '), { id, ...(inTeam && { channel: team }) })
    },
    replies: () => standIn.replies,
    direct: (person) => {
      const own = standIn.directChannel(user(person))
      return standIn.messages.filter((message) => ofAgent(message) && message.channel === own).map(seen)
    },
    team: () => standIn.messages.filter((message) => ofAgent(message) && threads.has(message.channel)).map(seen),
    remove: (message) => void standIn.messages.splice(standIn.messages.indexOf(found(message)), 1),
    attempts: () => standIn.attempts,
    statuses: () => standIn.typing.length,
    refusal: { kind: 'answer', status: 403, body: { message: 'Missing Access', code: 50_001 } },
    forged: {
      'has no signature': () => fetch(standIn.webhook, { method: 'POST', body: pressed() }),
      'has another signature': () => standIn.interact(pressed(), { signature: '00'.repeat(64) }),
      'has the token of another Gateway listener': () => standIn.forward(event('Eve', 'hello'), 'another-token'),
    },
    odd: {
      'a body that is no JSON': () => standIn.interact('{"type":'),
      'JSON that is nested 10000 deep': () => standIn.interact('['.repeat(10_000) + ']'.repeat(10_000)),
      'a key that reaches a prototype': () => standIn.interact('{"__proto__":{"polluted":true},"type":3}'),
      'an interaction without its content': () => standIn.interact('{"type":3}'),
      'an event without its content': () => standIn.forward('{"type":"GATEWAY_MESSAGE_CREATE"}'),
      'an event of an unknown type': () => standIn.forward('{"type":"GATEWAY_HOLOGRAM","data":{}}'),
    },
    event(person, text) {
      const given = event(person, text)
      return () => standIn.forward(given)
    },
  }
}
