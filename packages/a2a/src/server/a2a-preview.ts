import { Task } from '@a2a-js/sdk'
import { bufferedPreview, previewSessions } from '@cool-ai/beach-channel/previews'
import type { Frame } from '@cool-ai/beach-core'
import type { ChannelPreview, TurnPreview } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { markOf } from './a2a-mark.ts'
import { originatorOf } from './caller.ts'
import { TaskProjection } from './task-projection.ts'
import type { TaskReadingOptions } from './task-reading.ts'
import { toTask } from './to-task.ts'

type PartFrame = Extract<Frame, { kind: 'part' }>

const label = 'Peer agent'
/** What a peer of our own kind understands besides what every peer does. */
const consumes = ['llm-context', 'a2ui-surface']

/** The task that a peer would get if it had asked what this turn answers: a peer whose model wants llm-context. */
export function a2aPreview({ partTypes, turnStates, artifactLink }: TaskReadingOptions) {
  return async (turn: TurnPreview): Promise<ChannelPreview> => {
    const { sessionId, owner } = turn
    const caller = { principal: owner, version: '1.0', signal: new AbortController().signal } as const
    const to = originatorOf(sessionId, caller, 'buffered', { consumes })
    const frames = turn.frames(to)
    const asked = frames.find((frame) => frame.kind === 'part' && frame.role === 'user' && frame.cursor !== undefined)
    if (asked === undefined) {
      return { label, items: [], note: 'This turn began by itself: a peer has tasks for what it has asked only.' }
    }
    const projection = new TaskProjection({ session: sessionId, seq: Number(asked.cursor) }, turnStates)
    for (const frame of frames) projection.apply(isAsked(frame) ? asByA2a(frame) : frame)
    const linkOf = artifactLink && ((id: string) => artifactLink(id, sessionId, owner))
    const reader = { sessions: previewSessions(turn), to, partTypes, linkOf }
    const task = await toTask(projection, reader)
    return bufferedPreview(label, turn, [{ kind: 'json', title: 'Task', value: Task.toJSON(task) }])
  }
}

function isAsked(frame: Frame): frame is PartFrame {
  return frame.kind === 'part' && frame.role === 'user'
}

/** What was asked, as if it had come by A2A and begun a task; what did come so keeps its names. */
function asByA2a({ part, ...frame }: PartFrame): PartFrame {
  const { messageId = frame.partId.slice(0, frame.partId.lastIndexOf('.')), contextId } = markOf(part) ?? {}
  const a2a = { messageId, ...defined({ contextId }) }
  return { ...frame, part: { ...part, metadata: { ...part.metadata, a2a } } }
}
