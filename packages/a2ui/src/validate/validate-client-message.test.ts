import { expect, test } from 'vitest'
import { problemText } from './problems.ts'
import { validateClientMessage } from './validate-client-message.ts'

const version = 'v0.9'
const action = { name: 'book', surfaceId: 's', sourceComponentId: 'b', timestamp: '2026-04-20T09:50:00Z', context: {} }
const error = { code: 'VALIDATION_FAILED', surfaceId: 's', path: '/a', message: 'No.' }

test.each([
  { version, action },
  { version: 'v0.9.1', action: { ...action, extra: 1 } },
  { version, error },
  { version, error: { code: 'OTHER', surfaceId: 's', message: 'No.', details: {} } },
])('%j is right', (message) => {
  expect(validateClientMessage(message)).toEqual([])
})

test.each([
  [null, 'There is null where a message should be.'],
  [{ version }, "The message has no 'action'."],
  [{ action }, "The message has no 'version'."],
  [{ version, action, error }, 'has no property "action"'],
  [{ version, action: { ...action, context: undefined } }, "The action has no 'context'."],
  [{ version, action: { ...action, timestamp: 'now' } }, "'timestamp' must be a time"],
  [{ version, action: { ...action, name: 5 } }, "'name' must be a string"],
  [{ version, action: 'book' }, "'action' must be an object"],
  [{ version, error: { ...error, extra: 1 } }, 'has no property "extra"'],
  [{ version, error: { code: 'OTHER' } }, "The error has no 'surfaceId'."],
])('%j is not', (message, problem) => {
  expect(
    validateClientMessage(message)
      .map((found) => problemText(found))
      .join('\n'),
  ).toContain(problem)
})
