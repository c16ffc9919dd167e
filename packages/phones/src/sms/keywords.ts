import { lowerAscii, trimAscii } from '@cool-ai/beach-channel/people'

const maxWordLength = 40
const words = {
  stop: new Set(['stop', 'stopall', 'stop all', 'unsubscribe', 'cancel', 'end', 'quit', 'revoke', 'optout', 'opt-out']),
  start: new Set(['start', 'unstop']),
  help: new Set(['help', 'info']),
} as const

export type Keyword = keyof typeof words

/**
 * The carriers' keyword in a message, by Twilio's own reading or by ours. A yes only starts a person who has stopped.
 */
export function keywordOf(text: string, optOut: string | undefined, hasStopped: boolean): Keyword | undefined {
  const word = lowerAscii(trimAscii(text).slice(0, maxWordLength)).replace(/[.!]+$/, '')
  for (const keyword of ['stop', 'start', 'help'] as const) {
    if (optOut?.toLowerCase() === keyword || words[keyword].has(word)) return keyword
  }
  return hasStopped && word === 'yes' ? 'start' : undefined
}
