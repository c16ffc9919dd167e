import type { ActorContext } from '@cool-ai/beach'
import { a2uiBuilder as ui } from '@cool-ai/beach-a2ui'
import { chatCardPrefix } from '@cool-ai/beach-channel/retention'
import { a2uiActionOf } from '@cool-ai/beach-protocol'
import { describe, expect, test } from 'vitest'
import { flightActor, type Received } from '../support/flight-agent.ts'
import { until } from '../support/phone-context.ts'
import { platforms, type TestedPlatform } from './platforms/index.ts'
import { slackChat } from './platforms/slack.ts'
import type { SeenMessage } from './platforms/work-chat.ts'
import { principalOf, workChatContext } from './work-chat-context.ts'

async function talking({ open }: TestedPlatform) {
  const setup = await workChatContext(open)
  const received: Received[] = []
  await setup.start(flightActor(received), { principalOf })
  const { chat } = setup
  const got = async (text: string, found: (message: SeenMessage) => boolean) => {
    await chat.tell('Anna', text)
    await until(() => chat.direct('Anna').some(found))
    return chat.direct('Anna').find(found)
  }
  return { setup, chat, received, got }
}

/** A form about a journey, and what becomes of it. */
function formActor(received: unknown[]) {
  const form = ui.surface({
    surfaceId: 'trip',
    data: { to: 'Rome', day: '2026-12-01', party: 2, pet: false, seat: ['aisle'], notes: '' },
    root: ui.column(
      ui.textField({ label: 'Where to', value: ui.bind('/to') }),
      ui.dateTimeInput({ label: 'Day', value: ui.bind('/day'), enableDate: true }),
      ui.slider({ label: 'Party', value: ui.bind('/party'), max: 9 }),
      ui.checkBox({ label: 'With a pet', value: ui.bind('/pet') }),
      ui.choicePicker({
        label: 'Seat',
        value: ui.bind('/seat'),
        options: [
          { label: 'Aisle', value: 'aisle' },
          { label: 'Window', value: 'window' },
        ],
      }),
      ui.button({
        label: 'Look for it',
        action: ui.action('look', {
          offer: 'a1',
          to: ui.bind('/to'),
          day: ui.bind('/day'),
          party: ui.bind('/party'),
          pet: ui.bind('/pet'),
          seat: ui.bind('/seat'),
        }),
      }),
    ),
  })
  return async ({ messages, respond }: ActorContext): Promise<void> => {
    const action = messages
      .flatMap(({ parts }) => parts)
      .map((part) => a2uiActionOf(part))
      .find((one) => one !== undefined)
    if (action !== undefined) received.push(action.context)
    const shown = { partType: 'a2ui-surface', data: form } as const
    const looked = { partType: 'response', text: 'Looking.' } as const
    await respond({ parts: [action === undefined ? shown : looked], turnState: 'complete' })
  }
}

test('a button counts that is pressed before the platform has answered to the message with it', async () => {
  const setup = await workChatContext(slackChat)
  const { chat, store } = setup
  const { promise: pressed, resolve: letGo } = Promise.withResolvers<void>()
  const adapter = chat.adapter()
  const post = adapter.postMessage.bind(adapter)
  adapter.postMessage = async (...message) => {
    const posted = await post(...message)
    await pressed
    return posted
  }
  const list = store.list.bind(store)
  store.list = async (prefix, ...rest) => {
    const found = await list(prefix, ...rest)
    if (prefix.startsWith(chatCardPrefix)) letGo()
    return found
  }
  const received: Received[] = []
  await setup.start(flightActor(received), { principalOf, adapters: { slack: adapter } })
  await chat.tell('Anna', 'from')
  await until(() => chat.direct('Anna').some(({ buttons }) => buttons.length > 0))
  const question = chat.direct('Anna').find(({ buttons }) => buttons.length > 0)
  if (question !== undefined) await chat.press('Anna', question, 'Luton')
  await until(() => received.length === 2)
  expect(received.at(-1)?.text.trim()).toBe('Luton')
})

test.each(platforms.filter(({ hasForms }) => hasForms))(
  'fields of a surface are a form of $platform, which the one who opens it sends, once',
  async ({ open }) => {
    const { chat, start } = await workChatContext(open)
    const received: unknown[] = []
    await start(formActor(received), { principalOf })
    await chat.tell('Anna', 'a trip')
    await until(() => chat.direct('Anna').some(({ buttons }) => buttons.length > 0))
    const card = chat.direct('Anna').find(({ buttons }) => buttons.length > 0)
    if (card === undefined) throw new Error('There is no card.')
    expect(card.buttons).toEqual(['Look for it …'])
    const form = await chat.openForm?.('Anna', card, 'Look for it …')
    expect(form?.fields).toMatchObject({ 'Where to': 'Rome', Day: '2026-12-01', 'With a pet': 'no', Seat: 'aisle' })
    const values = { 'Where to': 'Oslo\u200b', Day: '2026-12-24', Party: '3', 'With a pet': 'yes', Seat: 'window' }
    await form?.send({ 'Where to': 'Eve’s' }, 'Eve')
    expect(await form?.send({ ...values, Seat: 'pilot' }).then(({ status }) => status)).toBe(200)
    await until(() => chat.direct('Anna').some(({ text }) => text.includes('has changed since')))
    const again = await chat.openForm?.('Anna', card, 'Look for it …')
    await again?.send(values)
    await again?.send({ ...values, 'Where to': 'Bari' })
    await until(() => chat.direct('Anna').some(({ text }) => text === 'Looking.'))
    const sent = { offer: 'a1', to: 'Oslo', day: '2026-12-24', party: 3, pet: true, seat: ['window'] }
    expect(received).toEqual([sent])
  },
)

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

/** What a text shows of itself, whatever the platform’s marks for it are. */
const plain = (text = '') => text.replaceAll(/[*_\\]/g, '')

describe.each(platforms)('content at $platform', (platform) => {
  test('a question has its answers as buttons, and a press answers it', async () => {
    const { chat, received, got } = await talking(platform)
    const question = await got('from', ({ buttons }) => buttons.length > 0)
    expect(question?.text).toContain('From where?')
    expect(question?.buttons).toEqual(['Gatwick', 'Luton'])
    if (question !== undefined) await chat.press('Anna', question, 'Luton')
    await until(() => received.length === 2)
    expect(received.at(-1)?.text.trim()).toBe('Luton')
  })

  test('a surface is a card with its buttons, and a press is the surface’s action', async () => {
    const { chat, received, got } = await talking(platform)
    const card = await got('flights', ({ buttons }) => buttons.length > 0)
    const all = chat.direct('Anna').map(({ text }) => plain(text))
    expect(all.join('\n')).toContain('easyJet U2 8021: at 11:40, £94')
    expect(card?.buttons.slice(-2)).toEqual(['Cheapest', 'Earliest'])
    if (card !== undefined) await chat.press('Anna', card, 'Cheapest')
    await until(() => received.length === 2)
    expect(JSON.stringify(received.at(-1)?.parts)).toContain('"by":"price"')
  })

  test('a button that another person presses in a channel is that person’s choice', async () => {
    const { chat, received } = await talking(platform)
    await chat.mention('Anna', 'from')
    await until(() => chat.team('Anna').some(({ buttons }) => buttons.length > 0))
    const question = chat.team('Anna').find(({ buttons }) => buttons.length > 0)
    if (question !== undefined) await chat.press('Ben', question, 'Gatwick')
    await until(() => received.length === 2)
    expect(received.at(-1)?.text.trim()).toBe('Gatwick')
  })

  test('a long list has as many buttons as the platform takes, and says that numbers can be said', async () => {
    const { chat, got } = await talking(platform)
    const card = await got('many', ({ buttons }) => buttons.length > 0)
    const isWhole = card?.buttons.length === 30
    expect(card?.buttons[0]).toContain('U2 8000')
    expect(isWhole || card?.text.includes('Or reply with a number.')).toBe(true)
    expect(
      chat
        .direct('Anna')
        .map(({ text }) => plain(text))
        .join('\n'),
    ).toContain('U2 8029')
  })

  test.each([
    ['trip.pdf', 'application/pdf'],
    ['gate.png', 'image/png'],
  ])('the file %s is an upload where the platform takes it, and otherwise a link', async (name, mimeType) => {
    const setup = await workChatContext(platform.open)
    const bytes = mimeType === 'image/png' ? pixel : Buffer.from('%PDF-1.4 the itinerary')
    const { artifactId, sizeBytes } = await setup.files.artifacts.put(bytes, { name, mimeType, tenant: 'default' })
    const data = { artifactId, mimeType, sizeBytes, name }
    await setup.start(
      async ({ respond }) => respond({ parts: [{ partType: 'artifact', data }], turnState: 'complete' }),
      {},
      { publicUrl: 'https://agent.example', access: { hosts: ['agent.example', '127.0.0.1'] } },
    )
    await setup.chat.tell('Anna', 'send it')
    await until(() => setup.chat.direct('Anna').length === 1)
    const [sent] = setup.chat.direct('Anna')
    const isUpload = platform.uploads === 'all' || (platform.uploads === 'pictures' && mimeType === 'image/png')
    expect(sent?.text).toContain(name)
    if (isUpload) expect(sent?.file?.bytes).toEqual(bytes)
    else expect(sent?.text).toMatch(/https:\/\/agent\.example\/artifacts\/\S+token=/)
  })
})
