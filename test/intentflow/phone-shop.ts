import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBeach, openData, serve, type Beach, type Serving } from '@cool-ai/beach'
import { PartTypeRegistry, type Originator, type Principal } from '@cool-ai/beach-core'
import { emailChannel, emailOriginator } from '@cool-ai/beach-transport/email'
import { whatsAppChannel, whatsAppOriginator } from '@cool-ai/beach-transport/whatsapp'
import { applyServerEvent, type ActiveFlows, type FlowInstance, type ServerEvent } from '@intentflow/core'
import { expect, onTestFinished } from 'vitest'
import { coffeeAgent, coffeeOptions } from '../../examples/coffee/coffee-agent.ts'
import { fileBooks } from '../../examples/coffee/domain/books.ts'
import type { Order } from '../../examples/coffee/domain/account.ts'
import { Shop } from '../../examples/coffee/domain/shop.ts'
import { openNeighbourhood, type Neighbour } from '../../examples/neighbourhood/neighbourhood.ts'
import type { MailboxState, MailDetail, PhoneMessage, PhoneState } from '../../examples/neighbourhood/page/shapes.ts'
import { freePort } from '../support/free-port.ts'
import { localCookie } from '../support/local-cookie.ts'
import { movableClock, until } from '../support/phone-world.ts'

const alex: Principal = { kind: 'user', id: 'alex', tenant: 'default' }
const chat: Originator = { id: 'chat', transport: 'sse', deliveryClass: 'streaming', principal: alex }
const neighbour: Neighbour = { id: 'alex', name: 'Alex', address: 'alex@home.example', phone: '+447700900003' }

/** The coffee shop with a post office and phones around it; its process comes and goes on the same data and port. */
export async function phoneShop() {
  const folder = mkdtempSync(join(tmpdir(), 'beach-test-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const clock = movableClock()
  const agent = { name: 'Example Coffee', address: 'barista@coffee.example' }
  const around = await openNeighbourhood({ url, secret: new Uint8Array(32).fill(3), agent, neighbours: [neighbour] })
  let running: { readonly beach: Beach; readonly serving: Serving; readonly shop: Shop }

  async function start(): Promise<void> {
    const { runtime } = clock
    const data = await openData({ folder, runtime })
    const shop = new Shop({ books: fileBooks(join(folder, 'books')), clock: runtime.clock, minuteMs: 60_000 })
    const options = coffeeOptions({ shop, runtime, secret: data.secret, url })
    const { channels } = options
    const partTypes = PartTypeRegistry.canonical()
    for (const partType of options.partTypes) partTypes.register(partType)
    const shared = { ...data, runtime, partTypes, principalOf: () => alex }
    const mail = emailChannel({ ...shared, ...around.mail, publicUrl: url })
    const whatsApp = whatsAppChannel({ ...shared, ...around.whatsApp })
    const beach = await createBeach({
      ...options,
      ...data,
      partTypes,
      agent: coffeeAgent.agent,
      publicUrl: url,
      channels: [...channels, mail, whatsApp, around.pages(mail)],
    })
    running = { beach, serving: await serve(beach, { port }), shop }
  }

  const call = async <Value>(path: string, body?: unknown): Promise<Value> => {
    const headers = { cookie: await cookie, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await fetch(`${url}/local/api/${path}`, body === undefined ? { headers } : init)
    expect(response.ok, path).toBe(true)
    return (response.status === 204 ? undefined : await response.json()) as Value
  }

  await start()
  const cookie = localCookie(around.opening.phone)
  onTestFinished(async () => {
    await running.serving.close()
    await around.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** What has come to the phone. */
  const messages = async (): Promise<PhoneMessage[]> => {
    const [phone] = (await call<PhoneState>('phones')).phones
    return phone?.whatsapp.filter(({ isMine }) => !isMine) ?? []
  }
  const mails = async (): Promise<MailDetail[]> => {
    const [box] = (await call<MailboxState>('mails')).boxes
    const got = box?.mails.filter(({ isMine }) => !isMine).toReversed() ?? []
    return Promise.all(got.map(({ id }) => call<MailDetail>(`mails/${id}`)))
  }

  return {
    url,
    clock,
    messages,
    mails,
    /** Waits for so many in all; the last of them. */
    async message(count: number): Promise<PhoneMessage> {
      await until(async () => (await messages()).length >= count)
      const found = (await messages())[count - 1]
      if (found === undefined) throw new Error('There is no such message.')
      return found
    },
    async mail(count: number): Promise<MailDetail> {
      await until(async () => (await mails()).length >= count)
      const found = (await mails())[count - 1]
      if (found === undefined) throw new Error('There is no such mail.')
      return found
    },
    text: (text: string, replyTo?: string) =>
      call<undefined>('phones/alex/whatsapp', { text, ...(replyTo !== undefined && { replyTo }) }),
    answer: (text: string, answers: string) => call<unknown>('mails', { neighbour: 'alex', text, answers }),
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
      const { address, phone } = neighbour
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

/** The link in a text. */
export function linkIn({ text }: { readonly text: string }): string {
  const link = /http:\S+\/intentflow\/open\/[\w.-]+/.exec(text)?.[0]
  if (link === undefined) throw new Error(`There is no link in: ${text}`)
  return link
}
