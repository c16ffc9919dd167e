// What a property of a component can be given. The types say what stands at a path, as far as that is known.

declare const valueType: unique symbol

/** A path to a value in the data; `Value` is what stands there, or `never` when that is not known. */
export interface Binding<out Value = never> {
  readonly path: string
  readonly [valueType]?: Value
}

/** A call of a function of the catalog, which runs where the surface is shown. */
export interface FunctionCall<out Returns extends string = string> {
  readonly call: string
  readonly args: Readonly<Record<string, unknown>>
  readonly returnType: Returns
}

type Shown = string | number | boolean

/** A text: itself, a path to something that can be shown as one, or a function that returns one. */
export type TextValue = string | Binding<Shown> | FunctionCall<'string'>

/** A number, or where in the data it stands. */
export type NumberValue = number | Binding<number>

/** A truth value, or where in the data it stands. */
export type BooleanValue = boolean | Binding<boolean> | FunctionCall<'boolean'>

/** A list of texts, or where in the data it stands. */
export type TextsValue = readonly string[] | Binding<readonly string[]>

/** Any value that can be sent with an action. */
export type AnyValue = Shown | readonly unknown[] | Binding<unknown> | FunctionCall<'string' | 'boolean'>

/** An action that the agent is told of, with its name and context. */
export interface EventAction {
  readonly event: { readonly name: string; readonly context?: Readonly<Record<string, AnyValue>> }
}

/** What a component does when it is used: an event for the server, or a function of the client such as `openUrl`. */
export type Action = EventAction | FunctionCall<'void'>

/** A condition on an input, and what is said when it is not met. */
export interface CheckRule {
  readonly condition: BooleanValue
  readonly message: string
}
