import { BeachError } from '@cool-ai/beach-core'

type Sentence = (path: string) => string

/** What the user can change about a file or folder that the command could not use. */
const sentences: Readonly<Record<string, Sentence>> = {
  ENOENT: (path) => `There is no file or folder ${path}.`,
  EEXIST: (path) => `${path} is there already, and stays as it is. Name another.`,
  EISDIR: () => 'A folder was named where a file belongs.',
  ENOTDIR: (path) => `${path} lies below a file, not below a folder.`,
  EACCES: (path) => `This user may not use ${path}.`,
  EPERM: (path) => `This user may not use ${path}.`,
}

/** An error of the file system as a sentence; undefined for everything else. */
export function fileError(error: unknown): BeachError | undefined {
  const { code = '', path = '' } = error as NodeJS.ErrnoException
  const sentence = sentences[code]
  if (!(error instanceof Error) || sentence === undefined || (path === '' && code !== 'EISDIR')) return undefined
  return new BeachError('BAD_REQUEST', sentence(path), { cause: error })
}
