import type { Part } from '@cool-ai/beach-core'
import { maxContextLength } from './a2ui-action.ts'
import { a2uiMessages, surfaceIds, type A2uiMessage } from './a2ui-messages.ts'
import { approvalAction, approvalSurfacePrefix } from './approval-surface.ts'
import { declaredActions } from './surface-actions.ts'

const maxActions = 500
const maxActionsLength = 64_000

/**
 * What no surface of an actor's or a peer's may do: look like the surface of an approval, or decide one. Also what it may
 * not be too large for, since its actions are remembered for as long as they can be pressed.
 */
export function surfaceProblems(part: Part): string[] {
  if (part.metadata.partType !== 'a2ui-surface') return []
  const messages = readable(part.data)
  const claimed = surfaceIds(messages).filter((id) => id.startsWith(approvalSurfacePrefix))
  const actions = messages.flatMap((message) => declaredActions(message))
  return [
    ...claimed.map((id) => {
      return `The surface id '${id}' is reserved: ids that begin with '${approvalSurfacePrefix}' are made for approvals by the system. Use another id.`
    }),
    ...(actions.some(({ name }) => name === approvalAction)
      ? [
          `The action '${approvalAction}' is reserved: approvals are asked for by the system, when a tool needs one. Use another name.`,
        ]
      : []),
    ...(actions.length > maxActions
      ? [`A surface may declare ${maxActions} actions; this one has ${actions.length}.`]
      : []),
    ...actions
      .filter(({ fixed }) => JSON.stringify(fixed).length > maxContextLength)
      .map(
        ({ componentId }) =>
          `The context of the action of '${componentId}' is longer than ${maxContextLength} characters.`,
      ),
    ...(JSON.stringify(actions).length > maxActionsLength
      ? [
          `The actions of this surface are longer than ${maxActionsLength} characters together. Give ids, not whole things.`,
        ]
      : []),
  ]
}

/** What cannot be read declares nothing; what is wrong with it is for the type's own rules to say. */
function readable(data: unknown): A2uiMessage[] {
  try {
    return a2uiMessages(data)
  } catch {
    return []
  }
}
