import type { Part, PartTypeRegistry, Runtime } from '@cool-ai/beach-core'
import { parsePart } from '@cool-ai/beach-protocol'
import type { z } from 'zod'
import type { askInput } from './ask-input.ts'

/** The key of `_meta` with the data of the surfaces that ask for it, as A2UI has it. */
const dataModelKey = 'cool-ai.beach/a2uiClientDataModel'

/** What the user did on a surface, as a part. */
export function actionPart(
  { context = {}, timestamp, ...action }: NonNullable<z.infer<typeof askInput>['action']>,
  meta: Readonly<Record<string, unknown>> | undefined,
  { partTypes, runtime }: { readonly partTypes: PartTypeRegistry; readonly runtime: Runtime },
): Part {
  const at = timestamp ?? new Date(runtime.clock.now()).toISOString()
  const model = meta?.[dataModelKey]
  const data = { version: 'v0.9', action: { ...action, timestamp: at, context } }
  const metadata = { partType: 'a2ui-action', ...(model !== undefined && { a2uiClientDataModel: model }) }
  return parsePart({ data, metadata }, partTypes)
}
