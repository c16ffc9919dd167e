import type { Choice, ChoiceAction } from '@cool-ai/beach-core/registries'

/** What a form is for: a button that sends fields, or a thing with which only that can be done. */
export function formActionOf(choice: Choice | undefined): ChoiceAction | undefined {
  const [action, ...others] =
    choice?.kind === 'button' ? [choice.action] : choice?.kind === 'item' ? choice.actions : []
  return others.length === 0 && action?.fields !== undefined ? action : undefined
}
