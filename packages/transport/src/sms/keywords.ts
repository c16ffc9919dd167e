const words = {
  stop: new Set(['STOP', 'STOPALL', 'STOP ALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT', 'OPT-OUT']),
  start: new Set(['START', 'UNSTOP']),
  help: new Set(['HELP', 'INFO']),
} as const

export type Keyword = keyof typeof words

/** The word of the carriers that a message is, by Twilio's own reading or by ours. A yes starts only who has stopped. */
export function keywordOf(text: string, optOut: string | undefined, hasStopped: boolean): Keyword | undefined {
  const word = text
    .trim()
    .toUpperCase()
    .replace(/[.!]+$/, '')
  for (const keyword of ['stop', 'start', 'help'] as const) {
    if (optOut?.toLowerCase() === keyword || words[keyword].has(word)) return keyword
  }
  return hasStopped && word === 'YES' ? 'start' : undefined
}
