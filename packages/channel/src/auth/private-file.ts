import { open } from 'node:fs/promises'
import { BeachError } from '@cool-ai/beach-core'
import { failureName } from './unavailable.ts'

const maxBytes = 1024 * 1024

/** Reads a file of secrets, which must be its owner's alone, and ours or root's. Windows has no such modes. */
export async function readPrivateFile(path: string): Promise<string> {
  // The open file is checked and read: its name could lead elsewhere a moment later.
  const file = await open(path, 'r').catch((error: unknown) => {
    throw wrong(`The file of secrets ${path} cannot be read (${failureName(error)}).`)
  })
  try {
    const { mode, uid, size } = await file.stat()
    const self = process.getuid?.()
    if (self !== undefined && (mode & 0o077) !== 0) {
      throw wrong(`Others can read the file of secrets ${path}. Run: chmod 600 ${path}`)
    }
    if (self !== undefined && uid !== self && uid !== 0) {
      throw wrong(
        `The file of secrets ${path} belongs to another user. It must belong to the user that runs the agent.`,
      )
    }
    if (size > maxBytes) throw wrong(`The file of secrets ${path} is larger than ${maxBytes} bytes.`)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

function wrong(message: string): BeachError {
  return new BeachError('INVALID_CONFIGURATION', message)
}
