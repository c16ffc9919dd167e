/**
 * What an application has declared wholly. With `all: true` here, a part type or turn state that is not in `PartTypes` or
 * `TurnStates` does not compile, whatever its namespace:
 *
 *     declare module '@cool-ai/beach-core' {
 *       interface DeclaredTypes { all: true }
 *     }
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- applications add to it.
export interface DeclaredTypes {}

/** Names that need no declaration: those with a namespace, such as `yourapp.map`. */
export type UndeclaredName = DeclaredTypes extends { readonly all: true } ? never : `${string}.${string}`
