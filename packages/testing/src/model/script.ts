import { BeachError } from '@cool-ai/beach-core'
import { scriptedModel, type Model, type ScriptContext, type ScriptedMessage } from '@cool-ai/beach-llm'

/**
 * One message of a model: a final answer as text, a message with tools or parts, or a function that returns one of the
 * two.
 */
export type ScriptStep = string | ScriptedMessage | ((context: ScriptContext) => string | ScriptedMessage)

/** A model with these messages, one for each call. */
export function script(...steps: readonly ScriptStep[]): Model {
  let calls = 0
  const say = (context: ScriptContext): ScriptedMessage => {
    const step = steps[calls++]
    if (step === undefined) {
      const message = `The script has ${steps.length} messages, and the model is called once more, for: ${context.text}`
      throw new BeachError('INVALID_CONFIGURATION', `${message}. Add a message.`)
    }
    const said = typeof step === 'function' ? step(context) : step
    return typeof said === 'string' ? answer(said) : said
  }
  return scriptedModel({ rules: [{ say }] })
}

function answer(text: string): ScriptedMessage {
  return { respond: { parts: [{ partType: 'response', text }], turnState: 'complete' } }
}
