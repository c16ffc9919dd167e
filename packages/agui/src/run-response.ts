import { EventType, type Event } from '@ag-ui/core'
import { textEvents, type Heartbeats } from '@cool-ai/beach-channel/live'
import { isBeachError, type Logger } from '@cool-ai/beach-core'
import { isStoreFailure } from '@cool-ai/beach-core/runtime'
import type { RunEncoder } from './run-encoder.ts'
import type { RunningRun } from './run-events.ts'

export interface RunResponseOptions {
  readonly session: string
  readonly headers: Readonly<Record<string, string>>
  readonly heartbeats: Heartbeats
  readonly logger: Logger
  /** Called once; `hasLeft` when the client has closed the connection before the end of the run. */
  readonly onEnd: (hasLeft: boolean) => void
}

/** The answer to a request for a run: its events as server-sent events. */
export function runResponse(
  request: Request,
  { events, encoder }: RunningRun,
  { session, headers, heartbeats, logger, onEnd }: RunResponseOptions,
): Response {
  let isFinished = false
  const textOf = (told: readonly Event[]) => {
    isFinished ||= told.some(({ type }) => type === EventType.RUN_FINISHED || type === EventType.RUN_ERROR)
    return linesOf(told)
  }
  const onError = (error: unknown) => {
    isFinished = true
    logger.log('error', 'a run failed', { session, error })
    return linesOf(failure(error, encoder))
  }
  const ended = (isLeft: boolean) => onEnd(isLeft && !isFinished)
  return textEvents(request, events, { heartbeats, textOf, onError, onEnd: ended, headers })
}

/** The last events of a run that fails on our side: without a word of its insides. */
function failure(error: unknown, encoder: RunEncoder): Event[] {
  const isOurs = isStoreFailure(error) || (isBeachError(error) && error.status < 500)
  return encoder.fail(
    isOurs ? error.message : 'Something went wrong on our side. Run again with the same runId to go on.',
    isOurs ? error.code : 'INTERNAL',
  )
}

/** Events as the data of server-sent events. */
function linesOf(events: readonly Event[]): string {
  return events.map((event) => JSON.stringify(event)).join('\n\ndata: ')
}
