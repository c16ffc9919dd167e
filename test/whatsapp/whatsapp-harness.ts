import type { ChannelHarness, ReceivedMessage, Utterance } from '@cool-ai/beach-testing/contracts'
import { harnessProcess } from '../support/harness-process.ts'
import { until } from '../support/phone-context.ts'
import type { Fault } from '@cool-ai/beach-testing/whatsapp'
import { whatsAppContext } from './whatsapp-context.ts'

const faults: Readonly<Record<string, Fault | undefined>> = {
  'out-of-order': { kind: 'answer', status: 500, body: { error: { code: 131_000, message: 'Something went wrong' } } },
  refusing: { kind: 'answer', status: 400, body: { error: { code: 131_026, message: 'Message undeliverable' } } },
}

/** People with a WhatsApp each, on the other side of the stand-in. */
export async function whatsAppHarness(): Promise<ChannelHarness> {
  const { standIn, start } = await whatsAppContext()
  const people: string[] = []
  const process = harnessProcess((actor) => start(actor))

  const personOf = (name: string) => {
    if (!people.includes(name)) people.push(name)
    const number = people.indexOf(name) + 1
    return { phone: `49151000000${number}`, userId: `DE.${number}` }
  }

  /** A person who says yes or no answers the last question with buttons. */
  async function say({ person, text, id }: Utterance): Promise<unknown> {
    process.requireRunning()
    const asked = standIn.of(personOf(person)).findLast(({ type }) => type === 'interactive')
    const replyTo = asked !== undefined && /^(?:yes|no)\b/.test(text) ? { replyTo: asked.id } : {}
    return standIn.text(personOf(person), text, { id: `wamid.${person}.${id}`, ...replyTo })
  }

  const attacks: Readonly<Record<string, () => Promise<unknown>>> = {
    'a body that is no JSON': () => standIn.deliver('{"object":'),
    'JSON that is nested 10000 deep': () => standIn.deliver('['.repeat(10_000) + ']'.repeat(10_000)),
    'a key that reaches a prototype': () => standIn.deliver('{"__proto__":{"polluted":true},"object":"x"}'),
    'a body of other things than it should have': () =>
      standIn.deliver('{"object":"whatsapp_business_account","entry":[{"changes":[{"field":"messages","value":7}]}]}'),
    'a message without a sender': () =>
      standIn.deliver(standIn.messageBody({}, { type: 'text', text: { body: 'x' } }, 'a')),
    'a message of an unknown type': () => standIn.write(personOf('eve'), { type: 'hologram', hologram: {} }),
    'a wrong signature': () => standIn.deliver('{}', { 'x-hub-signature-256': 'sha256=00' }),
  }

  return {
    tenant: 'default',
    start: (actor) => process.start(actor),
    say,
    sayTooMuch: (person) => standIn.text(personOf(person), 'too much '.repeat(500_000)),
    attack: async (name) => attacks[name]?.(),
    received: (person) => standIn.of(personOf(person)).map(({ text, mark }): ReceivedMessage => ({ text, mark })),
    attempts: () => standIn.attempts,
    receiver(state) {
      standIn.server.lasting = faults[state]
    },
    until,
  }
}

export const whatsAppAttacks = [
  'a body that is no JSON',
  'JSON that is nested 10000 deep',
  'a key that reaches a prototype',
  'a body of other things than it should have',
  'a message without a sender',
  'a message of an unknown type',
  'a wrong signature',
]
