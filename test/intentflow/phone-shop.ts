import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBeach, openData, serve, type Beach, type Serving } from '@cool-ai/beach'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { PartTypeRegistry, type Originator, type Principal } from '@cool-ai/beach-core'
import { emailChannel, emailOriginator, type EmailChannel } from '@cool-ai/beach-email'
import { whatsAppChannel, whatsAppOriginator } from '@cool-ai/beach-phones'
import { answerTo, deliver, domains, postOffice, written, type Delivered } from '@cool-ai/beach-testing/mail'
import { WhatsAppStandIn } from '@cool-ai/beach-testing/whatsapp'
import { applyServerEvent, type ActiveFlows, type FlowInstance, type ServerEvent } from '@intentflow/core'
import { onTestFinished } from 'vitest'
import { coffeeAgent, coffeeOptions } from '../../examples/coffee/coffee-agent.ts'
import { keptBooks } from '../../examples/coffee/domain/books.ts'
import type { Order } from '../../examples/coffee/domain/account.ts'
import { Shop } from '../../examples/coffee/domain/shop.ts'
import { freePort } from '../support/free-port.ts'
import { movableClock, until } from '../support/phone-context.ts'

const alex: Principal = { kind: 'user', id: 'alex', tenant: 'default' }
const chat: Originator = { id: 'chat', transport: 'sse', deliveryClass: 'streaming', principal: alex }
const [address, phone] = ['alex@home.example', '+447700900003']
const person = { phone: phone.slice(1) }

/** The coffee shop with a post office and phones around it; its process comes and goes on the same data and port. */
export async function phoneShop() {
  const folder = mkdtempSync(join(tmpdir(), 'beach-test-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const clock = movableClock()
  const office = await postOffice()
  const known = domains()
  known.add('home.example')
  const whatsApp = new WhatsAppStandIn()
  await whatsApp.server.listen()
  whatsApp.webhook = `${url}/channels/whatsapp`
  const guarded = guardedFetch({ allow: [whatsApp.server.origin] })
  let running: { readonly beach: Beach; readonly serving: Serving; readonly shop: Shop; readonly mail: EmailChannel }

  async function start(): Promise<void> {
    const { runtime } = clock
    const data = await openData({ folder, runtime })
    const shop = new Shop({ books: keptBooks(data, { folder }), clock: runtime.clock, minuteMs: 60_000 })
    const options = coffeeOptions({ shop, runtime, secret: data.secret, url })
    const { channels } = options
    const partTypes = PartTypeRegistry.canonical()
    for (const partType of options.partTypes) partTypes.register(partType)
    const shared = { ...data, runtime, partTypes, principalOf: () => alex }
    const mail = emailChannel({
      ...shared,
      address: 'barista@coffee.example',
      name: 'Example Coffee',
      outbound: office.outbound,
      smtp: { host: '127.0.0.1', port: 0 },
      dns: known.dns,
      publicUrl: url,
    })
    const fetched = (to: string, init: RequestInit) => guarded(to, init)
    const onPhones = whatsAppChannel({ ...shared, ...whatsApp.account, fetch: fetched })
    const beach = await createBeach({
      ...options,
      data,
      partTypes,
      agent: coffeeAgent.agent,
      publicUrl: url,
      channels: [...channels, mail, onPhones],
    })
    running = { beach, serving: await serve(beach, { port }), shop, mail }
  }

  await start()
  onTestFinished(async () => {
    await running.serving.close()
    await Promise.all([office.close(), whatsApp.close(), guarded.close()])
    rmSync(folder, { recursive: true, force: true })
  })

  /** What has come to the phone. */
  const messages = () => whatsApp.of(person)
  const mails = () => office.inbox(address)

  return {
    url,
    clock,
    messages,
    /** Waits for so many in all; the last of them. */
    message: (count: number) => nth(messages, count),
    async mail(count: number) {
      const mail = await nth(mails, count)
      return { mail, text: mail.email.text ?? '' }
    },
    text: (text: string, replyTo?: string) => whatsApp.text(person, text, replyTo === undefined ? {} : { replyTo }),
    async answer(text: string, mail: Delivered): Promise<void> {
      const letter = answerTo(mail, text)
      const raw = await written({ from: address, messageId: `<${mail.id}@home.example>`, ...letter })
      const signed = await known.sign(raw, 'home.example')
      await deliver(running.mail.smtpPort() ?? 0, signed, { from: address, to: [letter.to] })
    },
    /** The process ends, and another one goes on. */
    async restart(): Promise<void> {
      await running.serving.close()
      await start()
    },
    /** All orders that were ever charged. */
    async orders(): Promise<Order[]> {
      const { shop } = running
      const { orders } = await shop.account(alex)
      return Promise.all(orders.map((id) => shop.orderById(id)))
    },
    /** A conversation in the chat of the page, that mail and phone have joined. */
    async chat(joined: 'mail' | 'whatsapp') {
      const session = await running.beach.sessions.open({ principal: alex })
      const originator =
        joined === 'mail'
          ? emailOriginator({ address, principal: alex, subject: 'Your order' })
          : whatsAppOriginator({ phone, principal: alex })
      await running.beach.sessions.join(session, originator, alex)
      return {
        session,
        say: (text: string) =>
          running.beach.sessions.post(
            session,
            { parts: [{ text, metadata: { partType: 'message' } }], from: chat },
            alex,
          ),
        /** What its page shows of the flows, folded from what listeners get. */
        async shown(): Promise<FlowInstance[]> {
          let flows: ActiveFlows = {}
          for await (const frame of running.beach.sessions.history(session, chat)) {
            if (frame.kind !== 'part' || !frame.part.metadata.partType.startsWith('intentflow.')) continue
            const { data, metadata } = frame.part
            flows = applyServerEvent(flows, { type: 'CUSTOM', name: metadata.partType, value: data } as ServerEvent)
          }
          return Object.values(flows)
        },
      }
    },
  }
}

/** The last of so many, once they are there. */
async function nth<Item>(list: () => readonly Item[], count: number): Promise<Item> {
  await until(async () => list().length >= count)
  const found = list()[count - 1]
  if (found === undefined) throw new Error('Nothing has come.')
  return found
}

/** The link in a text. */
export function linkIn({ text }: { readonly text: string }): string {
  const link = /http:\S+\/intentflow\/open\/[\w.-]+/.exec(text)?.[0]
  if (link === undefined) throw new Error(`There is no link in: ${text}`)
  return link
}
