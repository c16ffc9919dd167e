import { chatOriginator } from '@cool-ai/beach-chat'
import { slackButtons, slackText, type SlackMessage } from '@cool-ai/beach-testing/slack'
import { expect, test } from 'vitest'
import { booker, operator, until } from '../support/phone-context.ts'
import { slackContext, type SlackContext } from './slack-context.ts'

const desk = { kind: 'user', id: 'slack:T1:UDESK', tenant: 'default' } as const

/** Anna has asked for a booking in a channel, and the question is there. */
async function asked(
  more: Parameters<SlackContext['start']>[1] = {},
  beach: Parameters<SlackContext['start']>[2] = {},
) {
  const setup = await slackContext()
  const ran: string[] = []
  const process = await setup.start(booker(ran), more, beach)
  const { standIn } = setup
  const root = await standIn.say('UANNA', `<@${standIn.botUserId}> book it`, { channel: 'CTEAM' })
  const cards = (channel = 'CTEAM') => standIn.messages.filter((each) => each.channel === channel && isCard(each))
  await until(() => cards().length === 1)
  const [card] = cards()
  if (card === undefined) throw new Error('No question has come.')
  const seenBy = (user: string) => standIn.shown('CTEAM', user).map(slackText)
  const now = () => standIn.messages.find(({ ts }) => ts === card.ts) ?? card
  return { setup, standIn, ran, process, root, card, cards, seenBy, now }
}

function isCard(message: SlackMessage): boolean {
  return message.blocks.length > 0
}

test('a request is a card in the thread with what is to be done and two buttons', async () => {
  const { card, root } = await asked()
  expect(card.thread).toBe(root)
  expect(slackText(card)).toContain('Approval needed')
  expect(slackText(card)).toContain('Flight: BA 2043')
  expect(slackButtons(card).map(({ label }) => label)).toEqual(['Approve', 'Deny'])
})

test.each([
  ['Approve', 'booked: ok', 1, /^Approved by Anna, /],
  ['Deny', 'booked: denied', 0, /^Denied by Anna, /],
])('the button %s decides, and the card then says who it was', async (label, answer, times, outcome) => {
  const { standIn, card, ran, seenBy, now } = await asked()
  expect((await standIn.press('UANNA', card, label)).status).toBe(200)
  await until(() => seenBy('UANNA').includes(answer))
  await until(() => slackButtons(now()).length === 0)
  expect(slackText(now()).split('\n').at(-1)).toMatch(outcome)
  expect(ran.length).toBe(times)
})

test('a button that another person presses decides nothing, and only that person is told', async () => {
  const { standIn, card, ran, seenBy, now } = await asked()
  await standIn.press('UEVE', card, 'Approve')
  const notice = 'Only the approver who was asked can decide this. Nothing was done.'
  await until(() => seenBy('UEVE').includes(notice))
  expect(seenBy('UANNA')).not.toContain(notice)
  expect(slackButtons(now()).length).toBe(2)
  expect(ran).toEqual([])
  await standIn.say('UEVE', `<@${standIn.botUserId}> yes`, { channel: 'CTEAM', thread: card.thread })
  await standIn.press('UANNA', card, 'Deny')
  await until(() => seenBy('UANNA').includes('booked: denied'))
  expect(ran).toEqual([])
})

test('a named approver alone decides; the person who asked does not', async () => {
  const { standIn, card, ran, seenBy } = await asked({}, { approvals: { approvers: [desk] } })
  await standIn.press('UANNA', card, 'Approve')
  await until(() => seenBy('UANNA').some((text) => text.startsWith('Only the approver')))
  expect(ran).toEqual([])
  await standIn.press('UDESK', card, 'Approve')
  await until(() => seenBy('UANNA').includes('booked: ok'))
  expect(ran.length).toBe(1)
})

test('a press that comes again is the same one; a later one is told that it is decided', async () => {
  const { standIn, card, ran, seenBy } = await asked()
  await standIn.press('UANNA', card, 'Approve', 'trigger-1')
  await until(() => seenBy('UANNA').includes('booked: ok'))
  await standIn.press('UANNA', card, 'Approve', 'trigger-1')
  await standIn.press('UANNA', card, 'Deny', 'trigger-2')
  await until(() => seenBy('UANNA').some((text) => text.startsWith('This was approved')))
  expect(seenBy('UANNA').filter((text) => text.startsWith('This was approved')).length).toBe(1)
  expect(ran.length).toBe(1)
})

test('a request that is decided elsewhere loses its buttons on all copies, after a restart too', async () => {
  const to = chatOriginator({ adapter: 'slack', workspace: 'T1', user: 'UDESK', principal: desk })
  const followUps = [{ afterMs: 1, to }]
  const { setup, process, cards, ran } = await asked({}, { approvals: { followUps } })
  await until(() => cards('DUDESK').length === 1)
  await process.stop()
  const second = await setup.start(booker(ran))
  const { items } = await second.beach.sessions.approvals({}, operator)
  const [waiting] = items
  await second.beach.sessions.decide(waiting?.approvalId ?? '', { decision: 'granted', via: 'smtp' }, operator)
  await until(() => [...cards(), ...cards('DUDESK')].every((card) => slackButtons(card).length === 0))
  for (const card of [...cards(), ...cards('DUDESK')]) {
    expect(slackText(card)).toMatch(/This was approved by mail, .* UTC\.$/)
  }
})

test('an approver who is asked by direct message decides there, and the copy in the thread says so', async () => {
  const to = chatOriginator({ adapter: 'slack', workspace: 'T1', user: 'UDESK', principal: desk })
  const { standIn, cards, ran, now } = await asked({}, { approvals: { followUps: [{ afterMs: 1, to }] } })
  await until(() => cards('DUDESK').length === 1)
  const [copy] = cards('DUDESK')
  if (copy === undefined) throw new Error('No copy has come.')
  await standIn.press('UDESK', copy, 'Approve')
  await until(() => slackButtons(now()).length === 0)
  expect(slackText(now())).toMatch(/Approved by Desk, /)
  await until(() => ran.length === 1)
})
