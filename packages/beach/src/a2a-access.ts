import type { A2aInterface } from '@cool-ai/beach-a2a'
import { accessRequirements, type AccessRequirements } from '@cool-ai/beach-channel/auth'
import type { AgentCardInput } from '@cool-ai/beach-protocol/agent-card'

type Transport = AgentCardInput['transports'][number]

/** What each way in asks of its callers, by the name of the way. */
export type A2aAccess = ReadonlyMap<string, AccessRequirements>

const bindings = ['JSONRPC', 'HTTP+JSON'] as const
const versions = ['1.0', '0.3'] as const

/** The endpoints of A2A, each by its own transport in the card. One that the card does not list asks for all that the others ask. */
export function a2aAccess({ transports }: AgentCardInput): A2aAccess {
  const spoken = a2aTransports(transports)
  const ways = bindings.flatMap((binding) => versions.map((version) => ({ binding, version })))
  return new Map(
    ways.map((way) => {
      const own = spoken.filter((one) => interfaceOf(one) === interfaceName(way))
      return [interfaceName(way), accessRequirements(own.length === 0 ? spoken : own)]
    }),
  )
}

/** The name of a way in, as `a2aAccess` has it. */
export function interfaceName({ binding, version }: A2aInterface): string {
  return `${binding} ${version}`
}

export function a2aTransports(transports: readonly Transport[]): Transport[] {
  return transports.filter(({ protocol }) => protocol === 'a2a')
}

function interfaceOf({ binding = 'JSONRPC', version }: Transport): string {
  return `${binding} ${version}`
}
