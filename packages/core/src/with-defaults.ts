/** Options of which none is left out any more. */
export type AllGiven<Options> = { [Key in keyof Options]-?: Exclude<Options[Key], undefined> }

/** The defaults, with what was given in their place; an option that is undefined was not given. */
export function withDefaults<Defaults extends object>(
  defaults: Defaults,
  given: { readonly [Key in keyof Defaults]?: Widened<Defaults[Key]> | undefined } | undefined,
): { [Key in keyof Defaults]: Widened<Defaults[Key]> } {
  const entries = Object.entries(given ?? {}).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(entries) } as { [Key in keyof Defaults]: Widened<Defaults[Key]> }
}

/** Defaults that are written `as const` stand for their kind of value. */
type Widened<Value> = Value extends number ? number : Value
