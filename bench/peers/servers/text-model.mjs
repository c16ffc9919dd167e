import { scriptedModel } from '../../server/scripted-model.ts'

/** The scripted model behind the AI SDK's provider interface; it answers in plain text. */
export const model = scriptedModel(async function* (words) {
  yield { type: 'text-start', id: 'text' }
  for await (const delta of words) yield { type: 'text-delta', id: 'text', delta }
  yield { type: 'text-end', id: 'text' }
})
