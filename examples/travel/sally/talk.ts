import type { ScriptedMessage } from '@cool-ai/beach-llm'
import { answer, answerAndAsk, clarify } from '@cool-ai/example-kit/script-words'
import type { SmallTalk } from '@cool-ai/example-kit/small-talk'
import { nextSteps } from './next-steps.ts'
import { packageNow, type SoFar } from './said-so-far.ts'

const abilities =
  'I am Sally of ExampleTravel. I find flights, hotels and cruises, tell you about destinations, put together a basket, book it once you approve, and write an itinerary.'
const scripted = 'I play from a script here: with a provider’s key in the environment a real model takes my place.'
const next = 'What would you like to do?'
const simple =
  'Without a model’s key I only understand simple English, such as “flights to Corfu in August for 2 people”.'

/** What Sally says to what is no wish. */
export function talkAnswer(talk: SmallTalk, soFar: SoFar): ScriptedMessage {
  const steps = nextSteps(soFar)
  switch (talk) {
    case 'thanks':
      return { respond: answer('You are welcome.') }
    case 'sorry':
      return { respond: clarify('No problem. What would you like?', steps) }
    case 'thinking':
      return { respond: clarify('Take your time. You could go on with one of these:', steps) }
    case 'rude':
      return { respond: clarify('I am sorry that I was no help. Shall we try one of these?', steps) }
    case 'bye':
      return { respond: answer(farewell(soFar)) }
    case 'praise':
      return { respond: clarify('Glad you like it. What next?', steps) }
    case 'how-are-you':
      return { respond: clarify('Very well, thank you. Where would you like to go?', steps) }
    case 'hello':
      return { respond: clarify('Hello! I am Sally of ExampleTravel. What can I do for you?', steps) }
    case 'who':
      return { respond: answerAndAsk(`${abilities} ${scripted}`, next, steps) }
    case 'human':
      return { respond: clarify('There is only me here, and I am a script. What can I do for you?', steps) }
    case 'help':
      return { respond: answerAndAsk(once(abilities, scripted, soFar), next, steps) }
    case 'no':
      return { respond: clarify('All right. What would you like instead?', steps) }
    case 'yes':
      return { respond: clarify('What would you like me to do?', steps) }
  }
}

/** The answer to what was not understood: what can be done next, as buttons. */
export function notUnderstood(soFar: SoFar): ScriptedMessage {
  return { respond: answerAndAsk(once('I did not understand that.', simple, soFar), next, nextSteps(soFar)) }
}

/** The answer to another language: said in one line, and once. */
export function notEnglish(soFar: SoFar): ScriptedMessage {
  if (soFar.answers.some((text) => text.includes(simple))) return notUnderstood(soFar)
  return { respond: answerAndAsk(simple, next, nextSteps(soFar)) }
}

/** Both sentences the first time, then only the first. */
function once(text: string, more: string, { answers }: SoFar): string {
  return answers.some((said) => said.includes(more)) ? text : `${text} ${more}`
}

function farewell(soFar: SoFar): string {
  const { items = [] } = packageNow(soFar) ?? {}
  const kept = items.length === 0 ? '' : ' Your basket stays here until you come back.'
  return `Goodbye, and have a good journey.${kept}`
}
