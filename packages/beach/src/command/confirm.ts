import { createInterface } from 'node:readline/promises'
import { BeachError } from '@cool-ai/beach-core'
import { terminal } from './terminal.ts'

/** Asks before something that cannot be undone. Without a terminal, `--yes` has to say it. */
export async function confirm(question: string, isSure: boolean | undefined): Promise<void> {
  if (isSure === true) return
  if (!terminal.canAsk()) {
    throw new BeachError('BAD_REQUEST', 'There is no terminal to ask whether that is meant. Add --yes if it is.')
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await lines.question(`${question} [y/N] `)
    if (!/^y(?:es)?$/i.test(answer.trim())) throw new BeachError('CANCELLED', 'Nothing was changed.')
  } finally {
    lines.close()
  }
}
