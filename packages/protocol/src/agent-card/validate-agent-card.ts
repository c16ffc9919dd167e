import type { PartTypeRegistry } from '@cool-ai/beach-core'
import { authoredCardSchema, type AuthoredCard } from './authored-card.ts'
import { derivedParameters } from './beach-extension.ts'
import { problem, problemsOfParse, type CardProblem } from './card-problems.ts'
import { registriesOf, type CardRegistries } from './card-registries.ts'
import { cardVersion, isReadableVersion } from './card-versions.ts'
import { transportProblems } from './transport-problems.ts'

/** What is wrong with an authored Agent Card, each with the place and the fix; nothing when it is right. */
export function validateAgentCard(value: unknown, registries: CardRegistries = {}): readonly CardProblem[] {
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
