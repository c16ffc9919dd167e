import { BeachError } from '@cool-ai/beach-core'
import { scriptedModel, type Model, type ScriptContext, type ScriptedMessage } from '@cool-ai/beach-llm'

/** What a model says in one message: a final answer in words, a message with tools or parts, or one of the two by what it was asked. */
export type ScriptStep = string | ScriptedMessage | ((context: ScriptContext) => string | ScriptedMessage)

/** A model that says these messages, one each time that it is called. */
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
