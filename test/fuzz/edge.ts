/** A place where input from elsewhere comes in. */
export interface Edge {
  readonly name: string
  /** Inputs that are right, which the damaged ones are made from. */
  readonly samples: readonly string[]
  /**
   * Takes one input, whatever it is. It may refuse it by a BeachError, or another error that its callers expect; what is
   * wrong in any case it says by throwing a `Finding`.
   */
  readonly take: (input: string) => unknown
  /** True for errors by which it refuses an input, besides a BeachError. */
  readonly refuses?: (error: unknown) => boolean
}

/** What must not happen, whatever comes in. */
export class Finding extends Error {
  override name = 'Finding'
}
