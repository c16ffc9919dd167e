/** What a button does, with all of its values: what a client sends when it is pressed. */
export interface ChoiceAction {
  /** What the button says, and of which thing where several buttons say the same. */
  readonly label: string
  readonly surfaceId: string
  readonly sourceComponentId: string
  readonly name: string
  readonly context: Readonly<Record<string, unknown>>
  /** What of it the reader may fill in first, where the channel can show a form; absent for a button that sends no field. */
  readonly fields?: readonly ChoiceField[] | undefined
}

/** A field that a button sends. Its value is text; of `yesNo` true or false, of an `option` a list of one. */
export interface ChoiceField {
  /** Whose value it is in `context`. */
  readonly name: string
  readonly label: string
  readonly kind: 'text' | 'longText' | 'number' | 'date' | 'yesNo' | 'option'
  /** What can be chosen of an `option`. */
  readonly options?: readonly { readonly label: string; readonly value: string }[] | undefined
}

/** One of the things that a part lets its reader choose. */
export type Choice =
  /** A thing in a list. Choosing it says which one is meant; `actions` are what can be done with it. */
  | {
      readonly kind: 'item'
      readonly title: string
      readonly details?: string | undefined
      readonly actions: readonly ChoiceAction[]
    }
  /** A button. Choosing it presses it. */
  | { readonly kind: 'button'; readonly action: ChoiceAction }
  /** An answer to a question. Choosing it says it. */
  | { readonly kind: 'answer'; readonly text: string }

/** How a channel wants the text or the HTML of a part whose choices can be made by a reply. */
export interface PartForm {
  /** The number of the part's first choice; the others follow in their order. */
  readonly firstNumber: number
  /** Where a button can be pressed, for HTML; one without an address is not drawn. */
  readonly linkOf?: ((action: ChoiceAction) => string | undefined) | undefined
}
