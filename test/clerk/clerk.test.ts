import { readFileSync } from 'node:fs'
import { createBeach, defineActor } from '@cool-ai/beach'
import { freePort } from '@cool-ai/beach-testing/free-port'
import { answerTo, deliver, domains, postOffice, written } from '@cool-ai/beach-testing/mail'
import { script } from '@cool-ai/beach-testing/model'
import { expect, onTestFinished, test } from 'vitest'
import { clerk } from './clerk.ts'

const address = 'clerk@corp.example'
const alice = 'alice@people.example'

test('a clerk with a tool that needs approval, mail and a peer is written in 30 lines with 4 imports', () => {
  const lines = readFileSync(new URL('clerk.ts', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  expect(lines.length).toBeLessThanOrEqual(30)
  expect(lines.filter((line) => line.startsWith('import')).length).toBeLessThanOrEqual(4)
})

test('the clerk asks its peer, is approved by mail, pays, and answers by mail', async () => {
  const travel = await createBeach({
    agent: { id: 'travel', name: 'Travel', description: 'Knows what trips cost.' },
    data: 'memory',
    actors: {
      desk: defineActor(async ({ respond }) => {
        await respond({ parts: [{ partType: 'response', text: 'Invoice A1 is right.' }], turnState: 'complete' })
      }),
    },
  })
  onTestFinished(() => travel.close())
  const { url: travelUrl } = await travel.listen({ port: 0, signals: false })

  const office = await postOffice()
  onTestFinished(() => office.close())
  const known = domains()
  for (const domain of ['corp.example', 'people.example']) known.add(domain)
  const port = await freePort()
  const paid: string[] = []
  const reported: unknown[] = []
  const beach = await clerk({
    model: script(
      { tools: [{ name: 'ask_travel', args: { message: 'Is invoice A1 right?' } }] },
      ({ results }) => {
        reported.push(results.get('ask_travel'))
        return { tools: [{ name: 'pay', args: { invoice: 'A1' } }] }
      },
      'It is paid.',
    ),
    mail: { address, outbound: office.outbound, smtp: { host: '127.0.0.1', port }, dns: known.dns },
    travelUrl: `${travelUrl}/`,
    pay: async (invoice) => {
      paid.push(invoice)
      return 'ok'
    },
  })
  onTestFinished(() => beach.close())
  const send = async (letter: { to: string; text: string; subject: string; inReplyTo?: string }) => {
    const raw = await written({ from: alice, messageId: `<${letter.subject.length}@people.example>`, ...letter })
    await deliver(port, await known.sign(raw, 'people.example'), { from: alice, to: [letter.to] })
  }
  const mails = async (count: number) => {
    await expect.poll(() => office.inbox(alice).length, { timeout: 20_000 }).toBe(count)
    return office.inbox(alice)
  }

  await send({ to: address, subject: 'Invoice', text: 'Please pay invoice A1.' })
  const [request] = await mails(1)
  if (request === undefined) throw new Error('No request has come.')
  expect(request.email.from?.name).toBe('Clerk')
  expect(request.email.text).toContain('Invoice: A1')
  expect(JSON.stringify(reported)).toContain('Invoice A1 is right.')
  expect(paid).toEqual([])

  await send(answerTo(request, 'yes'))
  const [, answer] = await mails(2)
  expect(answer?.email.text).toContain('It is paid.')
  expect(paid).toEqual(['A1'])
})
