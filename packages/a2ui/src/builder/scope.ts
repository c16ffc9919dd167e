import { BeachError } from '@cool-ai/beach-core'
import { pointerProblem } from '../pointer.ts'
import { makeTemplate, type Template, type UiNode } from './node.ts'
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

// Paths as types: what stands at a path of data of a known type.

declare const missing: unique symbol

interface Missing {
  readonly [missing]: true
}

type Unescaped<Name extends string> = Name extends `${infer Before}~1${infer After}`
  ? `${Unescaped<Before>}/${Unescaped<After>}`
  : Name extends `${infer Before}~0${infer After}`
    ? `${Before}~${Unescaped<After>}`
    : Name

type Member<Data, Name extends string> = unknown extends Data
  ? unknown
  : Data extends readonly (infer Item)[]
    ? Name extends `${number}`
      ? Item
      : Missing
    : Data extends object
      ? Name extends keyof Data
        ? Data[Name]
        : Missing
      : Missing

/** Without null and undefined; what is not known stays unknown. */
type Solid<Value> = unknown extends Value ? unknown : NonNullable<Value>

type At<Data, Path extends string> = Path extends ''
  ? Data
  : Path extends `${infer Name}/${infer Rest}`
    ? At<Solid<Member<Data, Unescaped<Name>>>, Rest>
    : Solid<Member<Data, Unescaped<Path>>>

/** What stands at a path: in the whole data when it begins with `/`, else in the item. */
type Found<Root, Item, Path extends string> = string extends Path
  ? unknown
  : Path extends `/${infer Rest}`
    ? At<Root, Rest>
    : At<Item, Path>

/** What stands there in some form of the data: a union may have it in one form and lack it in another. */
type Present<Value> = unknown extends Value ? unknown : Exclude<Value, Missing>

/** The path itself, or what is wrong with it. */
type Known<Root, Item, Path extends string> = [Present<Found<Root, Item, Path>>] extends [never]
  ? `There is no '${Path}' in the data`
  : Path

/** The value at a path; `never`, which fits everywhere, when its type is not known. */
type ValueAt<Root, Item, Path extends string> =
  unknown extends Present<Found<Root, Item, Path>> ? never : Present<Found<Root, Item, Path>>

type ListAt<Root, Item, Path extends string> = Extract<Present<Found<Root, Item, Path>>, readonly unknown[]>

/** The path of a list, or what is wrong with it. */
type KnownList<Root, Item, Path extends string> =
  unknown extends Present<Found<Root, Item, Path>>
    ? Path
    : [ListAt<Root, Item, Path>] extends [never]
      ? `There is no list at '${Path}' in the data`
      : Path

/** What a list at a path has as its items. */
type ItemAt<Root, Item, Path extends string> =
  unknown extends Present<Found<Root, Item, Path>> ? unknown : ListAt<Root, Item, Path>[number]
