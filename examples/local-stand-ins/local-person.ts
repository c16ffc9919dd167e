/** A person behind the local stand-ins. */
export interface LocalPerson {
  readonly id: string
  readonly name: string
  /** Their mail address. */
  readonly address: string
  /** Their number, such as `+447700900001`; the same for WhatsApp and SMS. */
  readonly phone: string
}

/** Whom they write to. */
export interface Correspondent {
  readonly name: string
  readonly address: string
}

/** A number as WhatsApp writes it. */
export function whatsAppNumber({ phone }: LocalPerson): string {
  return phone.replace(/^\+/, '')
}
