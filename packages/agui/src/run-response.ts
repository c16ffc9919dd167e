import { EventType, type Event } from '@ag-ui/core'
import { textEvents, type Heartbeats } from '@cool-ai/beach-channel/live'
import { isBeachError, type Logger } from '@cool-ai/beach-core'
import { isStoreFailure } from '@cool-ai/beach-core/runtime'
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
  const written = lines(events, (event) => {
    isFinished ||= event.type === EventType.RUN_FINISHED || event.type === EventType.RUN_ERROR
  })
  const onError = (error: unknown) => {
    isFinished = true
    logger.log('error', 'a run failed', { session, error })
    return failure(error, (...said) => encoder.fail(...said))
  }
  return textEvents(request, written, { heartbeats, onError, onEnd: (isLeft) => onEnd(isLeft && !isFinished), headers })
}

/** The last event of a run that fails on our side: without a word of its insides. */
function failure(error: unknown, fail: (message: string, code: string) => Event[]): string {
  const isOurs = isStoreFailure(error) || (isBeachError(error) && error.status < 500)
  const last = fail(
    isOurs ? error.message : 'Something went wrong on our side. Run again with the same runId to go on.',
    isOurs ? error.code : 'INTERNAL',
  )
  return last.map((event) => JSON.stringify(event)).join('\n\ndata: ')
}

async function* lines(
  events: AsyncGenerator<Event, void, undefined>,
  onEvent: (event: Event) => void,
): AsyncGenerator<string, void, undefined> {
  for await (const event of events) {
    onEvent(event)
    yield JSON.stringify(event)
  }
}
