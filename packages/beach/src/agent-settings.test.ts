import { systemRuntime } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { expect, test } from 'vitest'
import { settingsOf } from './agent-settings.ts'
import { createBeach } from './create-beach.ts'
import type { BeachOptions } from './beach-options.ts'

const agent = { id: 'clerk', name: 'Clerk' }

test.each([
  [undefined, 'Give createBeach `agent`'],
  [{}, 'Give createBeach `agent`'],
  [{ agent: {}, data: 'memory' }, 'Give createBeach `agent`'],
  [{ agent: { id: 5, name: 'Clerk' } }, 'Give createBeach `agent`'],
  [{ agent, data: 'memory' }, 'Give createBeach `actors`'],
  [{ agent, data: 'memory', actors: {} }, 'Give createBeach `actors`'],
  [{ agent, actors: { clerk: { run: async () => {} } } }, 'Give createBeach `data`'],
])('a program that is not type-checked is told what is missing: %j', async (options, problem) => {
  await expect(createBeach(options as unknown as BeachOptions)).rejects.toThrow(problem)
})

const actors = { clerk: { run: async () => {} } }

test.each([
  [{ chanels: [] }, 'createBeach: There is no option `chanels`. Did you mean `channels`?'],
  [{ access: { limits: { turn: 5 } } }, 'no option `turn` in `access.limits`. Did you mean `access.limits.turns`?'],
  [{ turns: { hosts: [] } }, 'no option `hosts` in `turns`. Did you mean `access.hosts`?'],
  [{ peers: { travel: { uri: 'https://travel.example/' } } }, 'no option `uri` in `peers.travel`.'],
  [{ port: 4747 }, 'no option `port`.'],
])('an agent does not start with an unknown option: %j', async (options, problem) => {
  const given = { agent, actors, data: 'memory', ...options } as BeachOptions
  await expect(createBeach(given)).rejects.toThrow(problem)
})

test('an option means the same in its group and by its earlier name', async () => {
  const runtime = systemRuntime()
  const store = new MemoryStore()
  const secret = new Uint8Array(32)
  const approvers = ['operator'] as const
  const grouped = await settingsOf({
    agent,
    actors,
    runtime,
    data: { store, secret },
    protocols: { mcp: false },
    turns: { leaseMs: 5 },
    approvals: { approvers, followUps: [{ afterMs: 1 }] },
    access: { tenant: 'north', hosts: ['clerk.example'] },
  })
  const earlier = await settingsOf({
    agent,
    actors,
    runtime,
    store,
    secret,
    mcp: false,
    leaseMs: 5,
    approvers,
    approvalFollowUps: [{ afterMs: 1 }],
    tenant: 'north',
    hosts: ['clerk.example'],
  })
  expect({ ...grouped.settings, runtime }).toEqual({ ...earlier.settings, runtime })
  expect(grouped.settings).toMatchObject({ store, mcp: false, leaseMs: 5, approvers, tenant: 'north' })
})

test('what an agent leaves undefined of its card is not in the card', async () => {
  const described = { ...agent, description: 'Pays invoices.', capabilities: undefined, provider: undefined }
  const { settings } = await settingsOf({ agent: described, actors, data: 'memory' })
  expect(settings.card).toStrictEqual({
    ...agent,
    description: 'Pays invoices.',
    capabilities: [],
    schemaVersion: '1.0',
    version: '1.0.0',
  })
  const { settings: without } = await settingsOf({
    agent: { ...agent, description: undefined },
    actors,
    data: 'memory',
  })
  expect(without.card).toBeUndefined()
})

test('what is given next to a folder comes before what the folder has', async () => {
  const store = new MemoryStore()
  const { settings, closeOpened } = await settingsOf({
    agent,
    actors,
    data: { folder: 'memory', store, missives: false },
  })
  expect(settings).toMatchObject({ store, missives: false, secret: [expect.any(Uint8Array)] })
  await closeOpened()
})

test.each<[string, Partial<BeachOptions>]>([
  ['mcp', { mcp: false, protocols: { mcp: false } }],
  ['approvalFollowUps', { approvalFollowUps: [], approvals: { followUps: [] } }],
  ['tenant', { tenant: 'a', access: { tenant: 'b' } }],
])('an agent does not start with `%s` in its group and next to it', async (name, twice) => {
  await expect(createBeach({ agent, actors, data: 'memory', ...twice })).rejects.toThrow(
    `given \`${name}\` in its group`,
  )
})
