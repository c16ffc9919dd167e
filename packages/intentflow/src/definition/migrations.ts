import { FlowError } from '../schemas/flow-error.ts'
import type { Flow, FlowMigration } from './flow.ts'

type Props = Readonly<Record<string, unknown>>

/**
 * Props of one version of a flow as those of another, by as few migrations as possible, up or down. Where none lead
 * there, versions with the same major number take each other's props as they are.
 */
export function migrateProps(flow: Flow, props: Props, from: string, to: string): Props {
  if (from === to) return props
  const way = migrationPath(flow.migrations, from, to)
  if (way === undefined) {
    if (sameMajor(from, to)) return props
    throw new FlowError(
      'UNSUPPORTED_VERSION',
      `${flow.meta.title} cannot be shown here: version ${from} cannot be turned into version ${to}.`,
      { details: { intentId: flow.intentId, from, to } },
    )
  }
  return way.reduce<Props>((value, step) => step(structuredClone(value)), props)
}

/** The props of an instance for a client that has declared which version of the flow it can show. */
export function propsForClient(flow: Flow, props: Props, clientVersion: string | undefined): Props {
  return clientVersion === undefined ? props : migrateProps(flow, props, flow.version, clientVersion)
}

type Step = (props: Record<string, unknown>) => Props

interface VersionPath {
  readonly version: string
  readonly steps: readonly Step[]
}

function migrationPath(migrations: readonly FlowMigration[], from: string, to: string): readonly Step[] | undefined {
  const seen = new Set([from])
  let reached: readonly VersionPath[] = [{ version: from, steps: [] }]
  while (reached.length > 0) {
    const next = reached.flatMap((place) => nextVersions(migrations, place)).filter(({ version }) => !seen.has(version))
    const there = next.find(({ version }) => version === to)
    if (there !== undefined) return there.steps
    for (const { version } of next) seen.add(version)
    reached = next
  }
  return undefined
}

function nextVersions(migrations: readonly FlowMigration[], { version, steps }: VersionPath): VersionPath[] {
  return migrations.flatMap((migration): VersionPath[] => {
    if (migration.from === version)
      return [{ version: migration.to, steps: [...steps, (props) => migration.up(props)] }]
    if (migration.to === version)
      return [{ version: migration.from, steps: [...steps, (props) => migration.down(props)] }]
    return []
  })
}

const syntax = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/

/** True for `major.minor.patch`; further labels are not for flows. */
export function isVersion(version: string): boolean {
  return syntax.test(version)
}

/** Below 0 if the first is the older version. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbers(a), numbers(b)]
  return left.map((each, index) => each - (right[index] ?? 0)).find((difference) => difference !== 0) ?? 0
}

/** True when one can stand in for the other: they differ in what was added, not in what has changed. */
function sameMajor(a: string, b: string): boolean {
  return numbers(a)[0] === numbers(b)[0]
}

function numbers(version: string): number[] {
  return (syntax.exec(version)?.slice(1) ?? []).map(Number)
}
