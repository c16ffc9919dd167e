import type { ToolContext } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { weekTools } from './week-tools.ts'
import type { Plan } from './week.ts'

const dentist = { date: '2026-08-19', time: '10:00', title: 'Dentist' }
const bins = { date: '2026-08-20', title: 'Bins' }

/** The tool that removes, with a plan; notes are kept as the log keeps them. */
function removing(plan: Plan) {
  const setup: { plan: Plan; noted?: unknown } = { plan }
  const tool = weekTools({
    load: async () => setup.plan,
    update: async (_session, change) => (setup.plan = change(setup.plan)),
  }).find(({ name }) => name === 'remove_from_week')
  const remove = (title: string) => {
    const context = {
      session: { sessionId: 'session_a' },
      signal: AbortSignal.timeout(10_000),
      note: async (value: unknown) => void (setup.noted = value),
      ...(setup.noted !== undefined && { noted: setup.noted }),
    }
    return tool?.handler({ title }, context as unknown as ToolContext)
  }
  return { setup, remove }
}

test('what was removed is told, with the week in which it was', async () => {
  const { setup, remove } = removing([dentist, bins])
  const week = { kind: 'week', data: { from: '2026-08-17', entries: [bins] } }
  expect(await remove('dentist')).toEqual({ removed: [dentist], week })
  expect(setup.plan).toEqual([bins])
})

test('the tool says when there is nothing of a name', async () => {
  const { setup, remove } = removing([dentist])
  expect(await remove('EJ4521')).toEqual({ removed: [] })
  expect(setup.plan).toEqual([dentist])
})

test('a call that runs again tells what its first run has removed', async () => {
  const { remove } = removing([dentist])
  const first = await remove('dentist')
  expect(await remove('dentist')).toEqual(first)
})
