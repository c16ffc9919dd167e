/**
 * A 53-bit fingerprint of a JSON value, to tell whether two calls or two bodies are the same. It is not a secret and
 * withstands accidents, not attackers: nothing is authorised by it.
 */
export function contentHash(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined'
  let low = 0xdeadbeef
  let high = 0x41c6ce57
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    low = Math.imul(low ^ unit, 2_654_435_761)
    high = Math.imul(high ^ unit, 1_597_334_677)
  }
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909)
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909)
  return (4_294_967_296 * (2_097_151 & high) + (low >>> 0)).toString(36)
}

/** A copy by a round trip through JSON: later changes of the original do not change it. */
export function jsonCopy<Value>(value: Value): Value {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as Value)
}

type Defined<Members> = { [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name] } & {
  [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<Members[Name], undefined>
}

/** The members that are not undefined: what is stored or sent says only what there is. */
export function defined<
  Members extends object & { [Name in keyof Members]: Text | {} | null | undefined },
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- infers strings as they are.
  Text extends string = string,
>(members: Members): Defined<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined)) as Defined<Members>
}
