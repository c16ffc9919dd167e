import { expect, test } from 'vitest'
import { AgentError } from '../reliability/agent-error.ts'
import type { Approval } from './approvals.ts'
import { isUndecided, OwnDecisions } from './own-decisions.ts'

const approval = { approvalId: 'a' } as Approval

test.each([
  ['values that do not fit', new AgentError('BAD_REQUEST', 'passengers must be at most 9.'), true],
  ['a connection that is lost', new AgentError('UNREACHABLE', 'The agent cannot be reached.'), true],
  ['a request that is not there any more', new AgentError('NOT_FOUND', 'There is no such request.'), false],
])('a decision that fails because of %s', async (_, error, mayTryAgain) => {
  const decisions = new OwnDecisions(() => {})
  await expect(decisions.decide('a', 'granted', () => Promise.reject(error))).rejects.toBe(error)
  const [after] = decisions.with([approval])
  expect(after).toEqual({ approvalId: 'a', problem: error.message, mayTryAgain })
  expect(after && isUndecided(after)).toBe(mayTryAgain)
  await decisions.decide('a', 'granted', () => Promise.resolve('decided'))
  expect(decisions.with([approval])).toEqual([{ approvalId: 'a', mine: 'granted' }])
})
