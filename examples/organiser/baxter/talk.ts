import type { ScriptedMessage } from '@cool-ai/beach-llm'
import { answer, answerAndAsk, clarify, type Exchange } from '@cool-ai/example-kit/script-words'
import type { SmallTalk } from '@cool-ai/example-kit/small-talk'

const abilities =
  'I am Baxter of Organiser. I keep your weeks in order, and ask ExampleTravel, where Sally works, for flights, hotels and bookings.'
const scripted = 'I play from a script here: with a provider’s key in the environment a real model takes my place.'
const simple = 'Without a model’s key I only understand simple English, such as “add dentist on Thursday at 10:00”.'

const next = 'What would you like to do?'

/** Things to say next; each of them is understood. */
export const nextSteps = [
  'What is in my week?',
  'Add dentist on Thursday at 10:00',
  'Ask travel for flights to Corfu in August',
]

/** What Baxter says to what is no wish. */
export function talkAnswer(talk: SmallTalk): ScriptedMessage {
  switch (talk) {
    case 'thanks':
      return { respond: answer('You are welcome.') }
    case 'sorry':
      return { respond: clarify('No problem. What would you like?', nextSteps) }
    case 'thinking':
      return { respond: clarify('Take your time. You could go on with one of these:', nextSteps) }
    case 'rude':
      return { respond: clarify('I am sorry that I was no help. Shall we try one of these?', nextSteps) }
    case 'bye':
      return { respond: answer('Goodbye. Your week stays as it is.') }
    case 'hello':
      return { respond: clarify('Hello! I am Baxter of Organiser. What can I do for you?', nextSteps) }
    case 'how-are-you':
      return { respond: clarify('Very well, thank you. What is on your mind?', nextSteps) }
    case 'praise':
      return { respond: clarify('Glad to hear it. What next?', nextSteps) }
    case 'yes':
    case 'no':
      return { respond: clarify('What would you like me to do?', nextSteps) }
    case 'human':
      return { respond: clarify('There is only me here, and I am a script. What can I do for you?', nextSteps) }
    case 'who':
    case 'help':
      return { respond: answerAndAsk(`${abilities} ${scripted}`, next, nextSteps) }
  }
}

/** The answer to what was not understood: what can be done next, as buttons. */
export function notUnderstood(past: readonly Exchange[]): ScriptedMessage {
  const more = wasSaid(past) ? '' : ` ${simple}`
  return { respond: answerAndAsk(`I did not understand that.${more}`, next, nextSteps) }
}

/** The answer to another language: said in one line, and once. */
export function notEnglish(past: readonly Exchange[]): ScriptedMessage {
  return wasSaid(past) ? notUnderstood(past) : { respond: answerAndAsk(simple, next, nextSteps) }
}

function wasSaid(past: readonly Exchange[]): boolean {
  return past.some(({ parts }) => parts.some(({ text }) => text.includes(simple)))
}
