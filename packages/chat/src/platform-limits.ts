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
  /** Files of a message, in bytes; those that are larger, and others than images where only these are taken, are links. */
  readonly upload: { readonly bytes: number; readonly isImagesOnly?: boolean }
  /** The shortest time between two edits of a message, in milliseconds. */
  readonly editMs: number
  /** Characters of a form's title; absent where the platform, or its adapter, has no forms. */
  readonly formTitle?: number | undefined
}

const mb = 1_000_000
const usual: PlatformLimits = {
  text: 1_900,
  cardText: 1_500,
  label: 60,
  buttons: 20,
  row: 5,
  editMs: 1_500,
  upload: { bytes: 8 * mb },
}

const known: Readonly<Record<string, PlatformLimits>> = {
  slack: {
    text: 11_000,
    cardText: 2_900,
    label: 70,
    buttons: 40,
    row: 20,
    editMs: 1_250,
    upload: { bytes: 100 * mb },
    formTitle: 24,
  },
  // A file is in the message itself, which has 100 KB.
  teams: {
    text: 20_000,
    cardText: 5_000,
    label: 60,
    buttons: 6,
    row: 6,
    editMs: 1_500,
    upload: { bytes: 60_000, isImagesOnly: true },
    formTitle: 60,
  },
  discord: { text: 1_900, cardText: 1_800, label: 75, buttons: 25, row: 5, editMs: 1_250, upload: { bytes: 10 * mb } },
  gchat: { text: 3_800, cardText: 3_000, label: 60, buttons: 30, row: 5, editMs: 1_500, upload: { bytes: 0 } },
  telegram: { text: 3_800, cardText: 3_500, label: 60, buttons: 40, row: 3, editMs: 3_100, upload: { bytes: 50 * mb } },
}

/** The limits of an adapter, by its own name; narrow ones for an adapter that is not known here. */
export function limitsOf(adapterName: string): PlatformLimits {
  return (Object.hasOwn(known, adapterName) ? known[adapterName] : undefined) ?? usual
}
