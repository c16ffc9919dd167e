import { defineActor } from '@cool-ai/beach'
import { sleep, systemClock, type Actor } from '@cool-ai/beach-core'

/** A scripted actor: it acknowledges, thinks, streams an answer word by word, and settles. */
export const helloActor = helloActorAt(40)

/** The same, with so much time for each word. */
export function helloActorAt(wordMs: number): Actor {
  return defineActor(async ({ text, respond, signal }) => {
    await respond({ parts: [{ partType: 'ack', text: `You said “${shortened(text)}”.` }], turnState: 'awaiting' })
    await pause(10 * wordMs, signal)
    await respond({ parts: [{ partType: 'thinking', text: 'Looking for the right words.' }], turnState: 'awaiting' })
    await pause(10 * wordMs, signal)
    await respond({
      parts: [{ partType: 'response', text: spoken(answerTo(text), wordMs, signal) }],
      turnState: 'complete',
    })
  })
}

/** All that the actor says to a message. */
export function answerTo(text: string): string {
  return [
    `Here is my answer to “${shortened(text)}”.`,
    'I am a scripted actor, so I always say the same, but everything around me is real.',
    'Your message went through the event router into a log on disk before you saw it accepted.',
    'A host took a lease on this session, started a turn, and runs me now.',
    'These words reach you as they are spoken; when I am done they become one part of the log.',
    'Reload the page while I talk and I go on where you left.',
    'Kill the server with “kill -9”, start it again, and I start this answer over, in the same place.',
    'Nothing is lost, and nothing is shown twice.',
  ].join(' ')
}

async function* spoken(text: string, wordMs: number, signal: AbortSignal): AsyncGenerator<string> {
  for (const word of text.split(/(?<= )/)) {
    yield word
    await pause(wordMs, signal)
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(systemClock, ms, signal)
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
