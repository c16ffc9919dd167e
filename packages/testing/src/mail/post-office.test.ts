import { expect, test } from 'vitest'
import { deliver, written } from './letters.ts'
import { postOffice } from './post-office.ts'

test('the post office takes mail only for its own people', async (context) => {
  const office = await postOffice({ knows: (address) => address === 'anna@home.example' })
  context.onTestFinished(() => office.close())
  const raw = await written({
    from: 'sally@travel.example',
    to: 'anna@home.example',
    messageId: '<1@x>',
    text: 'Hello',
  })
  const from = 'sally@travel.example'
  await deliver(office.port, raw, { from, to: ['anna@home.example'] })
  await expect(deliver(office.port, raw, { from, to: ['bob@home.example'] })).rejects.toThrow('No mailbox')
  expect(office.delivered.map(({ to, email }) => [to, email.text?.trim()])).toEqual([[['anna@home.example'], 'Hello']])
})
