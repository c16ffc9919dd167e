import type { Part } from '@cool-ai/beach-core'
import type { Choice } from '@cool-ai/beach-core/registries'
import { defined } from '@cool-ai/beach-core/runtime'
import * as z from 'zod'
import { readA2uiMessages, surfaceIds } from './a2ui-messages.ts'
import { approvalSurfacePrefix } from './approval-surface.ts'

const maxActions = 20
const maxTextLength = 4_000
const word = z.string().min(1).max(200)

/** The `data` of a choice part: which thing of a list a message means. It stands next to what its sender has written. */
export const choiceSchema = z.strictObject({
  number: z.int().min(1).describe('The number of the thing in the list that its sender was sent.'),
  title: z.string().max(maxTextLength),
  details: z.string().max(maxTextLength).optional(),
  actions: z
    .array(
      z.strictObject({
        label: z.string().max(maxTextLength),
        name: word,
        surfaceId: word,
        sourceComponentId: word,
        context: z.record(z.string(), z.unknown()),
      }),
    )
    .max(maxActions)
    .optional()
    .describe('What can be done with it on the surface that showed it.'),
})

/** A thing of a list that a message means. */
export type ChosenItem = z.infer<typeof choiceSchema>

/** The thing of a list that a part names; undefined for every other part. */
export function chosenItem(part: Part): ChosenItem | undefined {
  return part.metadata.partType === 'choice' ? choiceSchema.safeParse(part.data).data : undefined
}

/** A part that names a thing of a list, for actors that read the text of a message only too. */
export function choicePart(number: number, { title, details, actions }: Extract<Choice, { kind: 'item' }>): Part {
  const data: ChosenItem = defined({
    number,
    title: title.slice(0, maxTextLength),
    details: details?.slice(0, maxTextLength),
    actions: actions.length === 0 ? undefined : [...actions].slice(0, maxActions),
  })
  return { text: choiceText(data), data, metadata: { partType: 'choice' } }
}

/** A thing of a list on one line. */
export function choiceText({ title, details }: Pick<ChosenItem, 'title' | 'details'>): string {
  return details === undefined ? title : `${title}: ${details}`
}

/** True for the surface of an approval, whose request is asked for in words where surfaces are not shown. */
export function isApprovalSurface({ metadata, data }: Part): boolean {
  const messages = metadata.partType === 'a2ui-surface' ? readA2uiMessages(data) : undefined
  return surfaceIds(messages ?? []).some((id) => id.startsWith(approvalSurfacePrefix))
}
