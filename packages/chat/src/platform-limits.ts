/** What a platform takes at the most, as far as its adapter leaves it to us. */
export interface PlatformLimits {
  /** Characters of a message. */
  readonly text: number
  /** Characters of one text in a card. */
  readonly cardText: number
  /** Characters on a button. */
  readonly label: number
  /** Buttons of one card. */
  readonly buttons: number
  /** Buttons side by side. */
  readonly row: number
  /** The shortest time between two edits of a message, in milliseconds. */
  readonly editMs: number
}

const usual: PlatformLimits = { text: 1_900, cardText: 1_500, label: 60, buttons: 20, row: 5, editMs: 1_500 }

const known: Readonly<Record<string, PlatformLimits>> = {
  slack: { text: 11_000, cardText: 2_900, label: 70, buttons: 40, row: 20, editMs: 1_250 },
  teams: { text: 20_000, cardText: 5_000, label: 60, buttons: 30, row: 6, editMs: 1_500 },
  discord: { text: 1_900, cardText: 1_800, label: 75, buttons: 25, row: 5, editMs: 1_250 },
  gchat: { text: 3_800, cardText: 3_000, label: 60, buttons: 30, row: 5, editMs: 1_500 },
  telegram: { text: 3_800, cardText: 3_500, label: 60, buttons: 40, row: 3, editMs: 3_100 },
}

/** The limits of an adapter, by its own name; narrow ones for an adapter that is not known here. */
export function limitsOf(adapterName: string): PlatformLimits {
  return (Object.hasOwn(known, adapterName) ? known[adapterName] : undefined) ?? usual
}
