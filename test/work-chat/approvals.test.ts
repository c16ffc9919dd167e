import { chatOriginator } from '@cool-ai/beach-chat'
import { describe, expect, test } from 'vitest'
import { booker, operator, until } from '../support/phone-context.ts'
import { platforms, type TestedPlatform } from './platforms/index.ts'
import { principalOf, workChatContext, type WorkChatContext } from './work-chat-context.ts'

const notYours = 'Only the approver who was asked can decide this. Nothing was done.'

const waits = 'Your message waits until the request is decided. Who was asked presses a button'

/** Anna has asked for a booking in a channel, and the question is there. */
async function asked(
  { open }: TestedPlatform,
  beach: (desk: ReturnType<typeof deskAt>) => Parameters<WorkChatContext['start']>[2] = () => ({}),
) {
  const setup = await workChatContext(open)
  const { chat } = setup
  const ran: string[] = []
  const desk = deskAt(setup)
  const process = await setup.start(booker(ran), { principalOf }, beach(desk))
  const thread = await chat.mention('Anna', 'book it')
  const cards = () => chat.team('Anna').filter(({ text }) => text.includes('Approv'))
  const copies = () => chat.direct('Desk').filter(({ text }) => text.includes('Approv'))
  await until(() => cards().length === 1)
  const card = cards()[0]
  if (card === undefined) throw new Error('No question has come.')
  const seenBy = (person: string) => chat.team(person).map(({ text }) => text)
  const now = () => chat.team('Anna').find(({ id }) => id === card.id) ?? card
  return { setup, chat, ran, process, thread, card, cards, copies, seenBy, now, desk }
}

function deskAt({ chat }: Pick<WorkChatContext, 'chat'>) {
  const user = chat.user('Desk')
  const principal = { kind: 'user', id: `${chat.name}:${user}`, tenant: 'default' } as const
  const workspace = chat.workspace
  return { principal, to: chatOriginator({ adapter: chat.name, workspace, user, principal }) }
}

describe.each(platforms)('approvals at $platform', (platform) => {
  test('a request is a card in the thread with what is to be done and two buttons', async () => {
    const { card, thread } = await asked(platform)
    expect(card.thread).toBe(thread)
    // The heading says it, and the text not again.
    expect(card.text.match(/Approval needed/g)).toHaveLength(1)
    expect(card.text).toContain('Flight: BA 2043')
    expect(card.buttons).toEqual(['Approve', 'Deny'])
  })

  test.each([
    ['Approve', 'booked: ok', 1, /^Approved by Anna, /],
    ['Deny', 'booked: denied', 0, /^Denied by Anna, /],
  ])('the button %s decides, and the card then says who it was', async (label, answer, times, outcome) => {
    const { chat, card, ran, seenBy, now } = await asked(platform)
    expect((await chat.press('Anna', card, label)).status).toBe(200)
    await until(() => seenBy('Anna').includes(answer))
    await until(() => now().buttons.length === 0)
    expect(now().text.split('\n').at(-1)).toMatch(outcome)
    expect(ran.length).toBe(times)
  })

  test('a button that another person presses decides nothing', async () => {
    const { chat, card, ran, thread, seenBy, now } = await asked(platform)
    await chat.press('Eve', card, 'Approve')
    await until(() => seenBy('Eve').includes(notYours))
    expect(seenBy('Anna').includes(notYours)).toBe(!platform.hasPrivateWords)
    expect(now().buttons.length).toBe(2)
    expect(ran).toEqual([])
    await chat.mention('Eve', 'yes', { thread })
    await until(() => seenBy('Anna').some((text) => text.startsWith(waits)))
    await chat.mention('Anna', 'and a hotel', { thread })
    await chat.press('Anna', card, 'Deny')
    await until(() => seenBy('Anna').includes('booked: denied'))
    expect(ran).toEqual([])
    // Eve's message waited, and Anna's too: that is said once for the request.
    expect(seenBy('Anna').filter((text) => text.startsWith(waits))).toHaveLength(1)
  })

  test('a named approver alone decides; the person who asked does not', async () => {
    const { chat, card, ran, seenBy } = await asked(platform, (desk) => ({
      approvals: { approvers: [desk.principal] },
    }))
    await chat.press('Anna', card, 'Approve')
    await until(() => seenBy('Anna').includes(notYours))
    expect(ran).toEqual([])
    await chat.press('Desk', card, 'Approve')
    await until(() => seenBy('Anna').includes('booked: ok'))
    expect(ran.length).toBe(1)
  })

  test('a press that comes again is the same one; a later one is told that it is decided', async () => {
    const { chat, card, ran, seenBy } = await asked(platform)
    const told = () => seenBy('Anna').filter((text) => text.startsWith('This was approved'))
    await chat.press('Anna', card, 'Approve', '700000000000000001')
    await until(() => seenBy('Anna').includes('booked: ok'))
    await chat.press('Anna', card, 'Approve', '700000000000000001')
    await chat.press('Anna', card, 'Deny', '700000000000000002')
    await until(() => told().length === 1)
    expect(told().length).toBe(1)
    expect(ran.length).toBe(1)
  })

  test('a request that is decided elsewhere loses its buttons on all copies, after a restart too', async () => {
    const { setup, process, cards, copies, ran } = await asked(platform, ({ to }) => ({
      approvals: { followUps: [{ afterMs: 1, to }] },
    }))
    await until(() => copies().length === 1)
    await process.stop()
    const second = await setup.start(booker(ran), { principalOf })
    const [waiting] = (await second.beach.sessions.approvals({}, operator)).items
    await second.beach.sessions.decide(waiting?.approvalId ?? '', { decision: 'granted', via: 'smtp' }, operator)
    await until(() => [...cards(), ...copies()].every(({ buttons }) => buttons.length === 0))
    for (const { text } of [...cards(), ...copies()]) expect(text).toMatch(/This was approved by mail, .* UTC\.$/)
  })

  test('an approver who is asked by direct message decides there, and the copy in the thread says so', async () => {
    const { chat, copies, ran, now } = await asked(platform, ({ to }) => ({
      approvals: { followUps: [{ afterMs: 1, to }] },
    }))
    await until(() => copies().length === 1)
    const [copy] = copies()
    if (copy === undefined) throw new Error('No copy has come.')
    await chat.press('Desk', copy, 'Approve')
    await until(() => now().buttons.length === 0)
    expect(now().text).toMatch(/Approved by Desk, /)
    await until(() => ran.length === 1)
  })
})
