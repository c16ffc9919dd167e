import type { Part } from '@cool-ai/beach-core'
import * as z from 'zod'
import { visibleJson, visibleText } from './visible-text.ts'

/** The largest context of an action, and the largest data model that may come with one, in characters of JSON. */
export const maxContextLength = 16_000
const maxDataModelLength = 64_000
const maxContextKeys = 100
const maxShownLength = 200

const versions = ['v0.9', 'v0.9.1'] as const
const id = z.string().min(1).max(200)

/** The `data` of an a2ui-action part: what A2UI has a client send when the user presses a button of a surface. */
export const a2uiActionSchema = z.strictObject({
  version: z.enum(versions),
  action: z.strictObject({
    name: id.describe('The name of the event that the component declares.'),
    surfaceId: id,
    sourceComponentId: id,
    timestamp: z.iso.datetime({ offset: true }),
    context: z
      .record(z.string().min(1).max(200), z.unknown())
      .refine((context) => Object.keys(context).length <= maxContextKeys, `has more than ${maxContextKeys} keys`)
      .refine((context) => isWithin(context, maxContextLength), `is longer than ${maxContextLength} characters`)
      .describe('The context of the event, with its bound values filled in.'),
  }),
})

/** What a client sends when the user acts on a surface. */
type A2uiActionMessage = z.infer<typeof a2uiActionSchema>
/** What a user did on a surface. */
export type A2uiAction = A2uiActionMessage['action']

/** `metadata.a2uiClientDataModel` of an a2ui-action part: the data of those surfaces that ask for it. */
export const a2uiClientDataModelSchema = z
  .strictObject({ version: z.enum(versions), surfaces: z.record(id, z.unknown()) })
  .refine((model) => isWithin(model, maxDataModelLength), `is longer than ${maxDataModelLength} characters`)

/** True for a part that says what a user did on a surface. */
export function isA2uiAction(part: Part): boolean {
  return part.metadata.partType === 'a2ui-action'
}

/** The action in an a2ui-action part; undefined for every other part, and for one that was never checked and is wrong. */
export function a2uiActionOf(part: Part): A2uiAction | undefined {
  return isA2uiAction(part) ? a2uiActionSchema.safeParse(part.data).data?.action : undefined
}

/** The name of the action that a decision arrives as, with `approvalId` and `decision` in its context. */
export const approvalAction = 'approval.decide'

/** True for a part that decides an approval, if it comes from the surface that was made for it. */
export function isApprovalAction(part: Part): boolean {
  return a2uiActionOf(part)?.name === approvalAction
}

/**
 * What was done, in a sentence without the values that came with it; `label` is what the button says, `peer` the other
 * agent whose surface it is.
 */
export function actionSentence({ name, surfaceId }: A2uiAction, label: unknown, who: string, peer?: string): string {
  const what = typeof label === 'string' && label !== '' ? `“${visibleText(label)}”` : 'a button'
  const of = peer === undefined ? '' : ` of the agent '${visibleText(peer)}'`
  return `${who} pressed ${what} (action ${visibleText(name)}) on the surface ${visibleText(surfaceId)}${of}.`
}

/** The action as text, for text-only readers. */
export function actionText(part: Part): string | undefined {
  const action = a2uiActionOf(part)
  if (action === undefined) return part.text
  const label = typeof part.metadata.label === 'string' ? part.metadata.label : action.name
  const values = Object.entries(action.context).map(([key, value]) => {
    return `${visibleText(key)}: ${visibleJson(value, maxShownLength)}`
  })
  return values.length === 0
    ? `Pressed “${visibleText(label)}”`
    : `Pressed “${visibleText(label)}” (${values.join(', ')})`
}

function isWithin(value: unknown, longest: number): boolean {
  return JSON.stringify(value).length <= longest
}
