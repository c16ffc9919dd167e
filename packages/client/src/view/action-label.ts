import type { StreamPart } from '@cool-ai/beach-protocol/stream'
import { fields, text } from './fields.ts'
import { inWords } from './format.ts'

/** What the user did, in words: the button that was pressed, or the data that was sent. */
export function actionLabel({ partType, data, metadata }: StreamPart): string {
  if (partType !== 'a2ui-action') return JSON.stringify(data)
  const { action } = fields(data)
  return text(metadata.label) ?? inWords(text(fields(action).name) ?? 'action').replaceAll('.', ' ')
}
