import { BeachError } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import type * as grouped from './beach-options.ts'

type Data = grouped.DataOptions
type Protocols = grouped.ProtocolOptions
type Turns = grouped.TurnOptions
type Access = grouped.AccessOptions
type Approvals = grouped.ApprovalOptions

/** Options that are in a group now; they work in this release. */
export interface EarlierOptions {
  /** @deprecated Use `agent`. */ readonly card?: grouped.BeachCard | undefined
  /** @deprecated Use `data.store`. */ readonly store?: Data['store']
  /** @deprecated Use `data.secret`. */ readonly secret?: Data['secret']
  /** @deprecated Use `data.artifacts`. */ readonly artifacts?: Data['artifacts']
  /** @deprecated Use `data.missives`. */ readonly missives?: Data['missives']
  /** @deprecated Use `data.retention`. */ readonly retention?: Data['retention']
  /** @deprecated Use `protocols.a2a`. */ readonly a2a?: Protocols['a2a']
  /** @deprecated Use `protocols.mcp`. */ readonly mcp?: Protocols['mcp']
  /** @deprecated Use `protocols.agui`. */ readonly agui?: Protocols['agui']
  /** @deprecated Use `protocols.sse`. */ readonly sse?: Protocols['sse']
  /** @deprecated Use `protocols.webSocket`. */ readonly webSocket?: Protocols['webSocket']
  /** @deprecated Use `protocols.heartbeatMs`. */ readonly heartbeatMs?: Protocols['heartbeatMs']
  /** @deprecated Use `turns.whileBusy`. */ readonly whileBusy?: Turns['whileBusy']
  /** @deprecated Use `turns.retryFailed`. */ readonly retryFailed?: Turns['retryFailed']
  /** @deprecated Use `turns.leaseMs`. */ readonly leaseMs?: Turns['leaseMs']
  /** @deprecated Use `turns.translator`. */ readonly translator?: Turns['translator']
  /** @deprecated Use `turns`. */ readonly onStateTransitionRejected?: Turns['onStateTransitionRejected']
  /** @deprecated Use `approvals.approvers`. */ readonly approvers?: Approvals['approvers']
  /** @deprecated Use `approvals.followUps`. */ readonly approvalFollowUps?: Approvals['followUps']
  /** @deprecated Use `access.authenticators`. */ readonly authenticators?: Access['authenticators']
  /** @deprecated Use `access.tenant`. */ readonly tenant?: Access['tenant']
  /** @deprecated Use `access.hosts`. */ readonly hosts?: Access['hosts']
  /** @deprecated Use `access.remoteAddress`. */ readonly remoteAddress?: Access['remoteAddress']
  /** @deprecated Use `access.callerCards`. */ readonly callerCards?: Access['callerCards']
}

type Groups = 'data' | 'protocols' | 'turns' | 'approvals' | 'access'

/** The options without their groups, as the agent itself reads them. */
export type PlainOptions = Omit<grouped.BeachOptions, Groups | keyof EarlierOptions> &
  Data &
  Protocols &
  Turns &
  Access &
  Omit<Approvals, 'followUps'> & {
    readonly card?: grouped.BeachCard | undefined
    readonly approvalFollowUps?: Approvals['followUps']
  }

export function plainOptions(options: grouped.BeachOptions): PlainOptions {
  const { data, protocols, turns, access, approvals, ...others } = options
  const { followUps: approvalFollowUps, approvers, inbox } = approvals ?? {}
  const plain = defined(others)
  const members = defined({ ...protocols, ...turns, ...access, approvers, approvalFollowUps, inbox })
  const twice = Object.keys(members).find((name) => Object.hasOwn(plain, name))
  if (twice !== undefined) {
    const message = `createBeach was given \`${twice}\` in its group and next to it. Leave the second one out.`
    throw new BeachError('INVALID_CONFIGURATION', message)
  }
  // Parts of the data that are given next to it come before those in it.
  return { ...defined(typeof data === 'string' ? { folder: data } : (data ?? {})), ...members, ...plain }
}
