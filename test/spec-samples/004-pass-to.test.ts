import { partTypes, turnStates } from '@cool-ai/beach-core'
import { checkRespond } from '@cool-ai/beach-llm'
import { expect, test } from 'vitest'

// Document 004, "passTo — multi-actor handoff". What the session makes of it is tested with the session.

const handoff = {
  parts: [{ text: 'Handing off to the drafter.', metadata: { partType: 'thinking' } }],
  turnState: 'passed',
  passTo: 'drafter',
}

test('the sample', () => {
  expect(checkRespond(handoff, { partTypes, turnStates })).toEqual(handoff)
})

test('valid only with turnState passed, which requires it', () => {
  const { passTo, ...rest } = handoff
  expect(() => checkRespond({ ...handoff, turnState: 'complete' }, { partTypes, turnStates })).toThrow('passTo')
  expect(() => checkRespond(rest, { partTypes, turnStates })).toThrow('passTo')
  expect(passTo).toBe('drafter')
})
