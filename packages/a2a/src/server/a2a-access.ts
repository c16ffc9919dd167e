import type { AgentContext } from '@cool-ai/beach-channel'
import { accessRequirements, type AccessRequirements } from '@cool-ai/beach-channel/auth'
import { BeachError, type Authenticator } from '@cool-ai/beach-core'
import type { AgentCardInput } from '@cool-ai/beach-protocol/agent-card'
import type { A2aInterface } from './caller.ts'

/** What each way in asks of its callers, by the name of the way. */
type A2aAccess = ReadonlyMap<string, AccessRequirements>

const bindings = ['JSONRPC', 'HTTP+JSON'] as const
const versions = ['1.0', '0.3'] as const

/** The endpoints of A2A, each by its own transport in the card. One that the card does not list asks for all that the others ask. */
export function a2aAccess({ transports }: AgentCardInput): A2aAccess {
  const spoken = transports.filter(({ protocol }) => protocol === 'a2a')
  const ways = bindings.flatMap((binding) => versions.map((version) => interfaceName({ binding, version })))
  return new Map(
    ways.map((way) => {
      const own = spoken.filter((one) => interfaceName(one) === way)
      return [way, accessRequirements(own.length === 0 ? spoken : own)]
    }),
  )
}

/** True where a way in asks for a credential. */
export function isClosed(access: A2aAccess): boolean {
  return [...access.values()].some(({ auths }) => auths.length > 0)
}

/** True where a way in asks for none. */
export function isOpen(access: A2aAccess): boolean {
  return [...access.values()].some(({ auths }) => auths.length === 0)
}

/**
 * Who is calling, by the endpoint of the way that the request has come. Tasks belong to principals, so an open endpoint
 * gives away nothing of callers who came by another one. No caller may have the id that all guests once shared: their
 * tasks may still be in the data folder.
 */
export async function authenticatorOf(
  access: A2aAccess,
  { authenticatorFor }: Pick<AgentContext, 'authenticatorFor'>,
): Promise<(request: Request, way: A2aInterface) => ReturnType<Authenticator>> {
  const byWay = new Map<string, Authenticator>()
  for (const [way, required] of access) byWay.set(way, await authenticatorFor(required))
  const isMixed = isOpen(access) && isClosed(access)
  return async (request, way) => {
    const known = await byWay.get(interfaceName(way))?.(request)
    const { kind, id } = known?.principal ?? {}
    if (!isMixed || kind !== 'peer' || id !== 'anonymous') return known
    const message = "The id 'anonymous' is kept for callers without a credential. Ask its issuer for another id."
    throw new BeachError('FORBIDDEN', message)
  }
}

function interfaceName({ binding = 'JSONRPC', version }: { binding?: string | undefined; version: string }): string {
  return `${binding} ${version}`
}
