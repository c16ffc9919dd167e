import type { Originator } from './originator.ts'
import { othersContentOf, peerOrigin, type Part } from './part.ts'

/**
 * What a tool says of where its result is from: a name such as `web`, several, or a function of the result. `user` and
 * names that begin with `tool:` are the agent's own side; every other name is foreign.
 */
export type ResultOrigin<Value = unknown> =
  | string
  | readonly string[]
  // oxlint-disable-next-line typescript/no-explicit-any -- tools of every result type are in one list.
  | ((result: any extends Value ? any : Value) => string | readonly string[])

/** A rule on what content may be sent where. `deny` refuses the call, `approval` asks an approver first. */
export type DataRule = {
  /** An origin such as `peer:travel`, or a kind of them such as `peer`; `*` for all foreign content. */
  readonly from: string
  /** A tool by its name, `peer:<id>`, `mcp:<server>`, what a tool has in `sendsTo`, or `email`, `sms`, `whatsapp`, `webhook`. */
  readonly to: string
} & ({ readonly deny: true } | { readonly approval: true })

const maxOrigins = 20
const maxLength = 100
/** Stands for the origins that no longer fit: every rule applies to it. */
const more = 'more'

/** An origin as it is recorded: one word of limited length. */
export function originName(text: string): string {
  return text.replaceAll(/[^\w.:@/+-]/g, '_').slice(0, maxLength) || 'unknown'
}

/** True for content that neither people of the session nor the agent's own tools have written. */
export function isForeign(origin: string): boolean {
  return origin !== 'user' && !origin.startsWith('tool:')
}

/** All of these origins, each once; beyond 20 the rest is `more`. */
export function mergedOrigins(...lists: readonly (readonly string[] | undefined)[]): readonly string[] {
  const all = new Set(lists.flatMap((list) => list ?? []))
  all.delete(more)
  const names = [...all]
  const isMore = names.length > maxOrigins || lists.some((list) => list?.includes(more) === true)
  return isMore ? [...names.slice(0, maxOrigins), more] : names
}

/** The foreign origins of a part of an answer. */
export function originsOfPart(part: Part): readonly string[] {
  const others = othersContentOf(part)
  const { peer } = peerOrigin(part) ?? {}
  return [
    ...(others === undefined ? [] : [originName(`others:${others}`)]),
    ...(peer === undefined ? [] : [originName(`peer:${peer}`)]),
  ]
}

/** The foreign origins of a message: what its sender passes on, and the sender itself where it is an agent. */
export function originsOfMessage(
  { principal }: Pick<Originator, 'principal'>,
  parts: readonly Part[],
): readonly string[] {
  const sender = principal.kind === 'peer' ? [originName(`peer:${principal.id}`)] : []
  const origins = [...sender, ...parts.flatMap(originsOfPart)]
  return origins.length > 0 ? mergedOrigins(origins) : origins
}

/** What a tool says of its result, as it is recorded. */
export function declaredOrigins(declared: ResultOrigin | undefined, result: unknown): readonly string[] {
  if (declared === undefined) return []
  const said = typeof declared === 'function' ? askedOrigins(declared, result) : declared
  return mergedOrigins((typeof said === 'string' ? [said] : said).map(originName))
}

/** A function that fails, such as on a result that was cut, says nothing of its origin: it counts as foreign. */
function askedOrigins(
  declared: Extract<ResultOrigin, (...given: never) => unknown>,
  result: unknown,
): string | readonly string[] {
  try {
    return declared(result)
  } catch {
    return 'unknown'
  }
}

/** Where the reason of a failure is from: another server may have written it. */
export function failureOrigins(declared: ResultOrigin | undefined): readonly string[] {
  return typeof declared === 'function' ? ['unknown'] : declaredOrigins(declared, undefined)
}

/** True when a rule's name is this origin, its kind, or `*`. */
function isOf(origin: string, name: string): boolean {
  if (origin === name || origin === more) return true
  return name === '*' ? isForeign(origin) : origin.startsWith(`${name}:`)
}

/** The first rule that stands against content of these origins at a destination, and the origin that it names; a denial comes first. */
export function dataRuleAgainst(
  rules: readonly DataRule[],
  origins: readonly string[],
  destinations: readonly string[],
): { readonly rule: DataRule; readonly origin: string } | undefined {
  const found = rules.flatMap((rule) => {
    const to = destinations.filter((one) => one === rule.to || one.startsWith(`${rule.to}:`))
    // What goes back to where it is from stays where it was.
    const origin = origins.find((one) => isOf(one, rule.from) && to.some((destination) => destination !== one))
    return origin === undefined ? [] : [{ rule, origin }]
  })
  return found.find(({ rule }) => 'deny' in rule) ?? found[0]
}
