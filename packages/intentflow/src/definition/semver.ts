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
export function sameMajor(a: string, b: string): boolean {
  return numbers(a)[0] === numbers(b)[0]
}

function numbers(version: string): number[] {
  return (syntax.exec(version)?.slice(1) ?? []).map(Number)
}
