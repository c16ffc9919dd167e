import { simulatedRuntime, type Principal } from '@cool-ai/beach-core'
import type { InitializeRequest } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { LegacySessionIds } from './legacy-session-ids.ts'

const ann: Principal = { kind: 'user', id: 'ann', tenant: 't' }
const began = (name = 'client'): InitializeRequest => ({
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: { form: {} } },
    clientInfo: { name, version: '1' },
  },
})
const ids = (fill = 7) => new LegacySessionIds(simulatedRuntime(), new Uint8Array(32).fill(fill))

test('an id tells another process of the agent how its session began, and only for the same caller', () => {
  const id = ids().mint(began(), { principal: ann })
  expect(ids().read(id, { principal: ann })?.params).toEqual(began().params)
  for (const principal of [undefined, { ...ann, id: 'ben' }, { ...ann, tenant: 'other' }]) {
    expect(ids().read(id, { principal })).toBeUndefined()
  }
  const guests = ids().mint(began(), {})
  expect(ids().read(guests, {})?.params).toEqual(began().params)
  expect(ids().read(guests, { principal: ann })).toBeUndefined()
})

test('an id that was altered, or that another secret has signed, tells nothing', () => {
  const id = ids().mint(began(), {})
  const [text = '', signature = ''] = id.split('.')
  const other = ids(8).mint(began(), {})
  for (const wrong of [text, `${text}A.${signature}`, `${text}.`, `.${signature}`, other, 'mcp_1', '']) {
    expect(ids().read(wrong, {})).toBeUndefined()
  }
})

test('a client that says very much of itself gets an id that only its process knows', () => {
  const id = ids().mint(began('x'.repeat(5_000)), {})
  expect(id.length).toBeLessThan(100)
  expect(ids().read(id, {})).toBeUndefined()
})
