import type { ChannelHarness, ReceivedMessage, Utterance } from '@cool-ai/beach-testing/contracts'
import { harnessProcess } from '../support/harness-process.ts'
import { until } from '../support/phone-context.ts'
import type { Fault } from '@cool-ai/beach-testing/sms'
import { codeIn, smsContext } from './sms-context.ts'

const faults: Readonly<Record<string, Fault | undefined>> = {
  'out-of-order': { kind: 'answer', status: 503, body: { code: 20_503, message: 'Service unavailable' } },
  refusing: { kind: 'answer', status: 400, body: { code: 21_614, message: 'To is not a mobile number' } },
}

/** People with a phone each, on the other side of the stand-in. Long answers are not linked here, but come whole. */
export async function smsHarness(): Promise<ChannelHarness> {
  const { twilio, start } = await smsContext()
  const people: string[] = []
  const sids = new Map<string, string>()
  const process = harnessProcess((actor) => start(actor, { artifactLink: async () => undefined }))

  const numberOf = (name: string) => {
    if (!people.includes(name)) people.push(name)
    return `+49151000000${String(people.indexOf(name) + 1).padStart(2, '0')}`
  }

  /** A person who says yes or no adds the code of the last request. */
  async function say({ person, text, id }: Utterance): Promise<unknown> {
    process.requireRunning()
    const from = numberOf(person)
    const sid = sids.get(`${person} ${id}`) ?? twilio.sid()
    sids.set(`${person} ${id}`, sid)
    const isDecision = /^(?:yes|no)\b/.test(text)
    return twilio.write(from, isDecision ? `${text} ${codeIn(twilio.of(from))}` : text, { sid })
  }

  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${twilio.agent}/channels/sms`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body,
    })

  const attacks: Readonly<Record<string, () => Promise<unknown>>> = {
    'a form that is no form': () => post('%%%%=&&&=\u0000'),
    'a form with 10000 fields': () => post(Array.from({ length: 10_000 }, (_, n) => `A${n}=b`).join('&')),
    'a field that reaches a prototype': () => post('__proto__=x&constructor=y'),
    'a wrong signature': () => twilio.deliver(twilio.fields('+4915100000099', 'x'), { signature: 'AAAA' }),
    'a form without a body': () => {
      const { Body: _, ...fields } = twilio.fields('+4915100000099', 'x')
      return twilio.deliver(fields)
    },
  }

  return {
    tenant: 'default',
    start: (actor) => process.start(actor),
    say,
    sayTooMuch: (person) => twilio.write(numberOf(person), 'too much '.repeat(200_000)),
    attack: async (name) => attacks[name]?.(),
    received: (person) =>
      twilio
        .of(numberOf(person))
        .map(({ body, statusCallback }): ReceivedMessage => ({ text: body, mark: statusCallback })),
    attempts: () => twilio.attempts,
    receiver(state) {
      twilio.server.lasting = faults[state]
    },
    until,
  }
}

export const smsAttacks = [
  'a form that is no form',
  'a form with 10000 fields',
  'a field that reaches a prototype',
  'a wrong signature',
  'a form without a body',
]
