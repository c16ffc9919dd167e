export { clientTools, type GivenTool } from './client-tools.ts'
export {
  FollowedTurns,
  ignoredRun,
  type CancelOnDisconnect,
  type FollowedRun,
  type FollowedTurnsOptions,
  type TurnToStop,
} from './followed-turns.ts'
export { isOwnPage } from './own-page.ts'
export { Threads, type ThreadSession, type ThreadsOptions } from './threads.ts'
export { turnFrames, type FollowTurn, type TurnEnd } from './turn-frames.ts'
