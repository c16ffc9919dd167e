import type { BeachOptions } from '@cool-ai/beach'

const groups = ['data', 'protocols', 'turns', 'approvals', 'access'] as const

/** Options of a test in place of a helper's defaults: members of a group are replaced one by one. */
export function mergeOptions<Defaults extends Partial<BeachOptions>, Given extends Partial<BeachOptions>>(
  defaults: Defaults,
  given: Given,
): Defaults & Given {
  const merged: Record<string, unknown> = { ...defaults, ...given }
  for (const group of groups) {
    const [before, after] = [defaults[group], given[group]]
    if (typeof before === 'object' && typeof after === 'object') merged[group] = { ...before, ...after }
    else if (after === undefined) merged[group] = before
  }
  return merged as Defaults & Given
}
