import type { AuthoredCard, CardAuth } from './authored-card.ts'
import { problem, type CardProblem } from './card-problems.ts'
import type { CardRegistries } from './card-registries.ts'
import { a2aBinding } from './interfaces.ts'
import { a2aVersionPattern } from './card-versions.ts'

type Transport = AuthoredCard['transports'][number]
type Path = readonly (string | number)[]

const secretName = /^(?:client[-_]?secret|secret|password|(?:api[-_]?|private[-_]?)?key|(?:access[-_]?)?token)$/i

/** What is wrong with the ways to reach an agent beyond their form. */
export function transportProblems(
  transports: readonly Transport[],
  registries: Required<CardRegistries>,
): CardProblem[] {
  return transports.flatMap((transport, index) => {
    const path = ['transports', index]
    const first = transports.findIndex((other) => isSameWay(other, transport))
    return [
      ...(first < index ? [problem(path, `is the same as transports.${first}`, 'Remove one of them.')] : []),
      ...protocolProblems(transport, path, registries),
      ...endpointProblems(transport, path),
      ...(transport.auth === undefined ? [] : authProblems(transport.auth, [...path, 'auth'], registries)),
    ]
  })
}

function isSameWay(one: Transport, other: Transport): boolean {
  return (
    (['protocol', 'endpoint', 'version', 'tool', 'tenant'] as const).every((key) => one[key] === other[key]) &&
    a2aBinding(one) === a2aBinding(other)
  )
}

function protocolProblems(
  { protocol, version, tool }: Transport,
  path: Path,
  { transports }: Required<CardRegistries>,
) {
  if (!transports.has(protocol)) {
    const fix = `Use one of ${transports.ids().join(', ')}, or register it: transports.register({ id: '${protocol}' }).`
    return [problem([...path, 'protocol'], `names '${protocol}', which is not a registered transport`, fix)]
  }
  if (protocol === 'a2a' && !a2aVersionPattern.test(version)) {
    const fix = "Give the version of the A2A protocol, such as '1.0'."
    return [problem([...path, 'version'], `is '${version}', which is no version of A2A`, fix)]
  }
  if (protocol === 'mcp' && tool === undefined) {
    return [problem([...path, 'tool'], 'is missing', 'Name the MCP tool that peers call, such as ask_my_agent.')]
  }
  return []
}

function endpointProblems({ endpoint }: Transport, path: Path): CardProblem[] {
  if (!hasCredentials(endpoint)) return []
  const fix = 'Leave them out: a card is public. Say in auth how callers get in.'
  return [problem([...path, 'endpoint'], 'has credentials in it', fix)]
}

function hasCredentials(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false
  const { username, password } = new URL(endpoint)
  return username !== '' || password !== ''
}

function authProblems(auth: CardAuth, path: Path, { authTypes }: Required<CardRegistries>): CardProblem[] {
  const secrets = Object.keys(auth).filter((name) => secretName.test(name))
  return [
    ...typeProblems(auth, path, authTypes),
    ...secrets.map((name) =>
      problem([...path, name], 'looks like a secret', 'Leave it out: a card is public, and callers bring their own.'),
    ),
  ]
}

function typeProblems(auth: CardAuth, path: Path, authTypes: Required<CardRegistries>['authTypes']): CardProblem[] {
  if (!authTypes.has(auth.type)) {
    const fix = `Use one of ${authTypes.ids().join(', ')}, or register it: authTypes.register({ id: '${auth.type}' }).`
    return [problem([...path, 'type'], `names '${auth.type}', which is not a registered auth type`, fix)]
  }
  const needed = neededFields[auth.type]
  if (needed === undefined || auth[needed.name] !== undefined) return []
  return [problem([...path, needed.name], 'is missing', needed.fix)]
}

const neededFields: Readonly<Record<string, { readonly name: string; readonly fix: string } | undefined>> = {
  'api-key': { name: 'header', fix: "Name the header that carries the key, such as 'X-Beach-Key'." },
  oauth2: { name: 'tokenEndpoint', fix: 'Give the https URL that issues tokens.' },
  mtls: { name: 'fingerprints', fix: 'List the fingerprints of the certificates.' },
}
