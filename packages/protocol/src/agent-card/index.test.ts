import * as sdk from '@a2a-js/sdk'
import { expect, test } from 'vitest'
import * as protocol from '../index.ts'
import * as agentCard from './index.ts'

test('the A2A types are the SDK’s own', () => {
  expect(agentCard.AgentCard).toBe(sdk.AgentCard)
  expect(agentCard.AgentSkill).toBe(sdk.AgentSkill)
  expect(agentCard.AgentInterface).toBe(sdk.AgentInterface)
  expect(agentCard.AgentCapabilities).toBe(sdk.AgentCapabilities)
  expect(agentCard.AgentProvider).toBe(sdk.AgentProvider)
  expect(agentCard.AgentExtension).toBe(sdk.AgentExtension)
})

test('the package itself has them and the functions too', () => {
  const { authoredCardSchema: _, beachExtensionSchema: _other, ...shared } = agentCard
  expect(protocol).toMatchObject(shared)
})
