import type { DismissReason } from '../schemas/index.ts'

/** How the end of a flow is told to people. */
export const endings: Readonly<Record<DismissReason, string>> = {
  completed: 'This is done. There is nothing more to do here.',
  cancelled: 'This was cancelled.',
  replaced: 'This was replaced by something newer.',
  timeout: 'The time for this has run out.',
  error: 'This could not be completed.',
}
