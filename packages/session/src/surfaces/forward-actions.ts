import { BeachError, type Message, type Part, type SessionView } from '@cool-ai/beach-core'
import {
  actionTarget,
  originName,
  type ForwardedAction,
  type PeerAction,
  type PlannedTool,
  type SessionPeers,
} from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'

/** An action to pass on, as a tool call: the log records its start and the peer's answer. */
export interface PlannedForward extends Pick<ForwardedAction, 'messageId' | 'peer'> {
  readonly tool: PlannedTool<unknown>
}

/** An action in a message that a turn has. */
export interface SentAction extends Pick<Message, 'messageId'> {
  readonly part: Part
}

/** Of a turn's actions those on surfaces of peers. */
export function plannedForwards(
  actions: readonly SentAction[],
  peers: SessionPeers | undefined,
  view: () => SessionView,
): PlannedForward[] {
  return actions.flatMap(({ messageId, part }) => {
    const to = actionTarget(part)
    if (to === undefined) return []
    const { peer, conversationId } = to
    const resultOrigin = originName(`peer:${peer}`)
    const action: PeerAction = defined({ peer, conversationId, part })
    const call = {
      name: 'forward_action',
      args: { messageId, peer, data: part.data },
      idempotent: true,
      resultOrigin,
    }
    const run: PlannedTool<unknown>['run'] = async (tool) => {
      if (peers !== undefined) return peers.forward(action, { ...tool, session: view() })
      throw new BeachError('UNKNOWN_PEER', `The agent '${peer}' cannot be asked here any more.`)
    }
    return [{ messageId, peer, tool: { call, run } }]
  })
}
