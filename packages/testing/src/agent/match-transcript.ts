import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** How a conversation is compared with its transcript. */
export interface MatchTranscriptOptions {
  /** What differs from run to run, such as a time of day in a tool's result: `…` stands for it. */
  readonly hide?: readonly RegExp[] | undefined
  /** Writes the file anew in place of comparing; as the environment variable `BEACH_UPDATE_TRANSCRIPTS=1` when left out. */
  readonly update?: boolean | undefined
}

/** Whose transcript is compared: the conversation of `testAgent`, or one that it has opened. */
interface Transcribed {
  readonly transcript: () => Promise<string>
}

/**
 * Compares a conversation with its transcript in a file, `new URL('./paying.transcript.txt', import.meta.url)`, and throws
 * with the lines that differ.
 */
export async function matchTranscript(
  conversation: Transcribed,
  file: URL | string,
  { hide = [], update = process.env.BEACH_UPDATE_TRANSCRIPTS === '1' }: MatchTranscriptOptions = {},
): Promise<void> {
  const said = hide.reduce((text, one) => text.replaceAll(everywhere(one), '…'), await conversation.transcript())
  if (update) return writeFileSync(file, said)
  const name = typeof file === 'string' ? file : fileURLToPath(file)
  const advice = 'If it is right, write it with BEACH_UPDATE_TRANSCRIPTS=1.'
  const expected = stored(name, advice)
  if (said === expected) return undefined
  // Its message has the lines of both, those that differ marked.
  assert.equal(said, expected)
}

function stored(name: string, advice: string): string {
  try {
    return readFileSync(name, 'utf8').replaceAll('\r\n', '\n')
  } catch (cause) {
    throw new Error(`There is no transcript ${name} yet. ${advice}`, { cause })
  }
}

function everywhere({ source, flags }: RegExp): RegExp {
  return new RegExp(source, flags.includes('g') ? flags : `${flags}g`)
}
