import { describe, expect, test } from 'vitest'
import { foldPerson, emptyPersonState, type AskPut, type PersonEvent } from './person-state.ts'

const ask: AskPut = {
  approvalId: 'approval_1',
  session: 'sess_1',
  principal: { kind: 'user', id: 'anna', tenant: 'acme' },
  title: 'book',
  issue: 0,
}
const after = (...events: PersonEvent[]) => events.reduce(foldPerson, emptyPersonState)
const trying = (at: number, put = ask): PersonEvent => ({ type: 'trying', key: 'k', name: 'm0', at, ask: put })
const sent = (messageId: string): PersonEvent => ({ type: 'sent', key: 'k', name: 'm0', messageId })

describe('a message on its way', () => {
  test('that broke off is looked for from when it was first tried', () => {
    expect(after(trying(10), trying(20)).progress[0]?.trying?.at).toBe(10)
  })

  test('that is known not to have gone is not looked for', () => {
    const state = after(trying(10), { type: 'notSent', key: 'k', name: 'm0' })
    expect(state.progress[0]?.trying).toBeUndefined()
  })

  test('is answered by its first id, whichever source reports it', () => {
    const state = after(trying(10), sent('one'), sent('two'))
    expect(state.asks).toMatchObject([{ approvalId: 'approval_1', messageIds: ['one'] }])
  })
})

describe('an ask', () => {
  test('that is put again counts wrong codes anew, and is answered by the earlier messages too', () => {
    const wrong: PersonEvent = { type: 'wrong', approvalIds: ['approval_1'] }
    const state = after(trying(10), sent('one'), wrong, {
      ...trying(20, { ...ask, issue: 1 }),
      key: 'other',
    } as PersonEvent)
    expect(state.asks).toMatchObject([{ issue: 1, wrong: 0, messageIds: ['one'] }])
  })

  test('that is sent once more as it is counts on', () => {
    const wrong: PersonEvent = { type: 'wrong', approvalIds: ['approval_1'] }
    expect(after(trying(10), wrong, trying(20)).asks).toMatchObject([{ issue: 0, wrong: 1 }])
  })
})

test('what is known of a message only goes on, and a failure is the end', () => {
  const status = (name: 'sent' | 'delivered' | 'read' | 'failed'): PersonEvent => {
    return { type: 'status', messageId: 'one', status: name, at: 1 }
  }
  expect(after(status('read'), status('sent')).states).toMatchObject([{ status: 'read' }])
  expect(after(status('failed'), status('delivered')).states).toMatchObject([{ status: 'failed' }])
})
