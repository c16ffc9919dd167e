import { BeachError } from '@cool-ai/beach-core'

const word = '[a-z][a-z0-9]*(?:_[a-z0-9]+)*'
const syntax = new RegExp(`^${word}(?:\\.${word})+$`)

/** The longest name that models take for a tool. */
const maxToolNameLength = 64

/** The name under which a flow is offered as a tool: many models take no dots. `intentIdOfTool` leads back. */
export function flowToolName(intentId: string): string {
  return intentId.replaceAll('.', '__')
}

/** The flow that a tool stands for; undefined for names that no flow can have. */
export function intentIdOfTool(name: string): string | undefined {
  const intentId = name.replaceAll('__', '.')
  return syntax.test(intentId) && flowToolName(intentId) === name ? intentId : undefined
}

/** Refuses what is no `domain.action`. */
export function checkIntentId(intentId: string): void {
  if (!syntax.test(intentId)) {
    throw new BeachError(
      'INVALID_REGISTRATION',
      `"${intentId}" is no intentId: write domain.action in lower case, with single underscores inside words, such as order.add_item.`,
    )
  }
  if (flowToolName(intentId).length > maxToolNameLength) {
    throw new BeachError(
      'INVALID_REGISTRATION',
      `The intentId ${intentId} is too long: as the name of a tool it may have ${maxToolNameLength} characters.`,
    )
  }
}
