import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test, vi, type TestContext } from 'vitest'
import { journalOf } from '../stand-in/journal.test-helper.ts'
import type { Journal } from '../stand-in/stand-in-server.ts'
import type { WhatsAppEntry } from './whatsapp-message.ts'
import { WhatsAppStandIn } from './whatsapp-stand-in.ts'

const hourMs = 60 * 60 * 1_000
const now = Date.UTC(2026, 4, 5, 12)

const received = {
  id: 'wamid.out.1',
  to: '447700900002',
  mark: 'a-mark',
  type: 'text',
  content: { type: 'text', text: { body: 'Hello' } },
  text: 'Hello',
  at: now,
}

describe('after a restart, WhatsApp', () => {
  async function standIn(context: TestContext, journal: Journal<WhatsAppEntry>): Promise<WhatsAppStandIn> {
    const made = new WhatsAppStandIn(() => now, journal)
    await made.server.listen()
    context.onTestFinished(() => made.close())
    return made
  }

  /** Sends a text as the agent does; gives the code of the error, if there is one. */
  async function send({ graphUrl, phoneNumberId, accessToken }: WhatsAppStandIn): Promise<number | undefined> {
    const text = { to: '447700900002', type: 'text', text: { body: 'Hello' } }
    const response = await fetch(`${graphUrl}/${phoneNumberId}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}` },
      body: JSON.stringify({ messaging_product: 'whatsapp', ...text }),
    })
    return ((await response.json()) as { error?: { code: number } }).error?.code
  }

  test.for([
    ['open', 1, undefined],
    ['closed', 25, 131_047],
  ] as const)('still has the window %s for a person who wrote %i hours ago', async ([, hours, code], context) => {
    const person = { phone: '447700900002' }
    const wrote = { kind: 'written', id: 'wamid.in.1', person, message: {}, at: now - hours * hourMs } as const
    const made = await standIn(context, journalOf<WhatsAppEntry>([wrote]))
    made.tellsSent = false
    expect(await send(made)).toBe(code)
  })

  test('tells what it had not told, so that nothing is sent again, and nothing that it had', async (context) => {
    const reported: string[] = []
    const agent = createServer((request, response) => {
      request.on('data', (piece: Buffer) => reported.push(...(/wamid\.out\.\d/.exec(piece.toString()) ?? [])))
      request.on('end', () => response.writeHead(200).end())
    })
    await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve))
    context.onTestFinished(() => void agent.close())
    const journal = journalOf<WhatsAppEntry>([
      { kind: 'received', message: received },
      { kind: 'told', id: received.id },
      { kind: 'received', message: { ...received, id: 'wamid.out.2' } },
    ])
    const made = await standIn(context, journal)
    made.webhook = `http://127.0.0.1:${(agent.address() as AddressInfo).port}/channels/whatsapp`
    made.resume()
    await vi.waitUntil(() => journal.added.length === 1, { timeout: 20_000 })
    expect(journal.added).toEqual([{ kind: 'told', id: 'wamid.out.2' }])
    expect(reported).toEqual(['wamid.out.2'])
  })
})
