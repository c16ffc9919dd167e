/** What the process ends with: whether the work was done, failed, or was asked for in a wrong way. */
export const exitCodes = {
  done: 0,
  failed: 1,
  /** Wrong arguments or options, a wrong beach.config.ts, or a file that is not there or not what it should be. */
  badInput: 2,
} as const
