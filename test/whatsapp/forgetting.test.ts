import { MemoryIdentityStore, MemoryMissiveStore } from '@cool-ai/beach-missives'
import { expect, test } from 'vitest'
import { booker, operator, until } from '../support/phone-context.ts'
import { anna, berta, whatsAppContext } from './whatsapp-context.ts'

test('a person whose data is erased is forgotten, by all their addresses; their old buttons decide nothing', async () => {
  const context = await whatsAppContext()
  const { standIn, store } = context
  const ran: string[] = []
  const missives = { store: new MemoryMissiveStore(), identities: new MemoryIdentityStore() }
  const process = await context.start(booker(ran), {}, { data: { missives } })
  const known = async () => (await store.list('correspondent:whatsapp:')).length
  await standIn.text(anna, 'book it')
  await until(() => standIn.of(anna).length === 1)
  const [{ value: person } = { value: '' }] = await store.list('correspondent:whatsapp:default:phone:')
  const each = await known()
  await standIn.text(berta, 'book it')
  await until(() => standIn.of(berta).length === 1)
  expect([each, await known()]).toEqual([3, 6])
  const sessions = async () => (await process.beach.sessions.list({}, operator)).items.length
  expect(await sessions()).toBe(2)

  await process.beach.missives?.erase({ person: `phone:+${anna.phone}` }, operator)

  expect(await known()).toBe(3)
  const log = JSON.stringify(await store.read(`person:whatsapp:default:${person}`, 0))
  for (const word of ['approval', 'sess_', 'wamid', '"at"']) expect(log).not.toContain(word)

  const [question] = standIn.of(anna)
  if (question !== undefined) await standIn.tap(anna, question, 'Approve')
  await until(() => standIn.of(anna).some(({ text }) => text.includes('does not belong to a question')))
  expect(ran).toEqual([])
  await standIn.text(anna, 'book it, please')
  await until(() => standIn.of(anna).at(-1)?.text.includes('Approval needed') === true)
  // Hers is a new one; the old one belongs to no person.
  expect(await sessions()).toBe(2)
  const other = standIn.of(berta)[0]
  if (other !== undefined) await standIn.tap(berta, other, 'Approve')
  await until(() => ran.length === 1)
})
