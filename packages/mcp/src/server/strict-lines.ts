import { Transform, type Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { parseJson } from '@cool-ai/beach-channel/http'
import { isBeachError } from '@cool-ai/beach-core'

const maxDepth = 100
const parseError = -32_700

/** The messages of a pipe, each a line, without those that are refused as bodies are: `answer` gets what to say of them. */
export function strictLines(input: Readable, answer: (line: string) => void): Readable {
  const decoder = new StringDecoder('utf8')
  const pieces: string[] = []
  const lines = new Transform({
    transform(chunk: Buffer, _, done) {
      const [first = '', ...more] = decoder.write(chunk).split('\n')
      pieces.push(first)
      for (const next of more) {
        pass(pieces.splice(0).join(''))
        pieces.push(next)
      }
      done()
    },
  })
  const pass = (line: string) => {
    const problem = problemOf(line)
    if (problem === undefined) lines.push(`${line}\n`)
    else answer(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: parseError, message: problem } })}\n`)
  }
  return input.pipe(lines)
}

function problemOf(line: string): string | undefined {
  if (line.trim() === '') return undefined
  try {
    parseJson(line, maxDepth)
    return undefined
  } catch (error) {
    if (isBeachError(error)) return error.message
    throw error
  }
}
