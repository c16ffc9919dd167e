import type { PartTypeRegistry } from '@cool-ai/beach-core'
import { authoredCardSchema, type AuthoredCard, type CardAuth } from './authored-card.ts'
import { derivedParameters } from './beach-extension.ts'
import { problem, problemsOfParse, type CardProblem } from './card-problems.ts'
import { registriesOf, type CardRegistries } from './card-registries.ts'
import { cardVersion, isReadableVersion, a2aVersionPattern } from './card-versions.ts'
import { a2aBinding } from './read-transports.ts'

/** What is wrong with an Agent Card as its author writes it, each with the place and the fix. */
export function authoredProblems(value: unknown, registries: CardRegistries = {}): readonly CardProblem[] {
  const result = authoredCardSchema.safeParse(value)
  if (!result.success) return problemsOfParse(result.error, authoredCardSchema, value)
  const card = result.data
  const all = registriesOf(registries)
  return [
    ...versionProblems(card),
    ...repeatedCapabilities(card),
    ...transportProblems(card.transports, all),
    ...partTypeProblems(card, all.partTypes),
    ...beachProblems(card, all),
  ]
}

function versionProblems({ schemaVersion, extensions }: AuthoredCard): CardProblem[] {
  const versions: [string, string | undefined][] = [
    ['schemaVersion', schemaVersion],
    ['extensions.beach.version', extensions?.beach?.version],
  ]
  return versions.flatMap(([path, version]) =>
    version === undefined || isReadableVersion(version)
      ? []
      : [problem([path], `is ${version}, which this version of Beach does not write`, `Give '${cardVersion}'.`)],
  )
}

function repeatedCapabilities({ capabilities }: AuthoredCard): CardProblem[] {
  const ids = capabilities.map(({ id }) => id)
  return ids.flatMap((id, index) => {
    const first = ids.indexOf(id)
    if (first === index) return []
    return [problem(['capabilities', index, 'id'], `is '${id}', as is that of capabilities.${first}`, 'Give another.')]
  })
}

const namespaced = /^[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9][A-Za-z0-9_-]*)+$/

function partTypeProblems({ envelope = {} }: AuthoredCard, partTypes: PartTypeRegistry): CardProblem[] {
  return (['parts', 'consumes'] as const).flatMap((list) =>
    (envelope[list] ?? []).flatMap((partType, index) => {
      if (partTypes.has(partType) || namespaced.test(partType)) return []
      const fix = `Use one of ${partTypes.ids().join(', ')}, or a name of your own with a namespace, such as 'yourapp.${partType}'.`
      return [problem(['envelope', list, index], `names '${partType}', which is not a registered part type`, fix)]
    }),
  )
}

function beachProblems({ extensions }: AuthoredCard, { turnStates }: Required<CardRegistries>): CardProblem[] {
  const beach = extensions?.beach ?? {}
  const path = ['extensions', 'beach']
  const unknown = (beach.turnStates ?? []).flatMap((state, index) => {
    if (turnStates.has(state)) return []
    const fix = `Use one of ${turnStates.ids().join(', ')}, or register it.`
    return [problem([...path, 'turnStates', index], `names '${state}', which is not a registered turn state`, fix)]
  })
  const derived = Object.keys(beach).filter((name) => derivedParameters.includes(name))
  const misplaced = derived.map((name) => problem([...path, name], 'does not belong here', fixOf(name)))
  return [...unknown, ...misplaced]
}

function fixOf(parameter: string): string {
  if (parameter === 'envelopeParts') return 'Give it as envelope.parts.'
  if (parameter === 'envelopeConsumes') return 'Give it as envelope.consumes.'
  if (parameter === 'a2uiCatalog' || parameter === 'llmContextLanguage') return `Give it as envelope.${parameter}.`
  return "It is filled from the card's other fields."
}

type Transport = AuthoredCard['transports'][number]
type Path = readonly (string | number)[]

const secretName = /^(?:client[-_]?secret|secret|password|(?:api[-_]?|private[-_]?)?key|(?:access[-_]?)?token)$/i

/** What is wrong with the ways to reach an agent beyond their form. */
function transportProblems(transports: readonly Transport[], registries: Required<CardRegistries>): CardProblem[] {
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
