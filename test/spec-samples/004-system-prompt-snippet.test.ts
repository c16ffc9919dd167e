import { respondToolSnippet } from '@cool-ai/beach-llm'
import { expect, test } from 'vitest'

// Document 004, "System-prompt snippet": what it says, in our own words.

test.each([
  ['respond() is the only way to produce output', /Everything you say goes through the respond\(\) tool/],
  ['no free text', /Do not write plain text/],
  ['acknowledgements', /Acknowledgements/],
  ['thinking updates', /progress notes while you think/],
  ['the answer', /the actual answer/],
  ['clarifying questions', /questions back/],
  ['errors', /failures/],
  ['each part has its partType', /each part names what it is in metadata\.partType/],
  ['awaiting while there is more to come', /"awaiting": you are still at work and there is more to come/],
  ['complete when settled', /"complete": your turn is settled/],
  ['clarifying, with a single clear question', /"clarifying"[\s\S]*"clarify" that asks a single clear\s+question/],
  [
    'as soon as there is something to say',
    /As soon as you can acknowledge the request, report\s+progress or give part/,
  ],
  ['because the user sees it in real time', /the user sees each call while it happens/],
  ['not at the end of the turn', /never save everything up for the\s+end of your turn/],
])('it says: %s', (_what, pattern) => {
  expect(respondToolSnippet).toMatch(pattern)
})
