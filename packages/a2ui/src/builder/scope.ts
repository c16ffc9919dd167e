import { BeachError } from '@cool-ai/beach-core'
import { pointerProblem } from '../pointer.ts'
import { makeTemplate, type Template, type UiNode } from './node.ts'
import type { ItemAt, Known, KnownList, ValueAt } from './path-types.ts'
import type { Binding } from './values.ts'

/** Paths into data of a known type: the whole data is `Root`; inside a template, `Item` is what relative paths begin at. */
export interface Scope<Root, Item = Root> {
  /** A path to a value: `/title` in the whole data; `price` in the item of a template, which is itself ''. */
  readonly path: <Path extends string>(path: Known<Root, Item, Path>) => Binding<ValueAt<Root, Item, Path>>
  /** Shows something once for each item of a list. */
  readonly each: <Path extends string>(
    path: KnownList<Root, Item, Path>,
    item: (scope: Scope<Root, ItemAt<Root, Item, Path>>) => UiNode,
  ) => Template
}

function checkedPath(path: string): string {
  const problem = pointerProblem(path)
  if (problem === undefined) return path
  throw new BeachError('INVALID_PART', `${problem}. Use a path such as '/user/name', with '~1' for '/' in a name.`)
}

const scope: Scope<unknown> = {
  path: (path) => ({ path: checkedPath(path) }),
  each: (path, item) => makeTemplate(checkedPath(path), item(scope)),
}

/** Paths into data of a type, for nodes that are made outside of `ui.surface`. */
export function pathsOf<Data = unknown>(): Scope<Data> {
  // What differs between scopes are types only.
  return scope
}
