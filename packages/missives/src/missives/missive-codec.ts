import { plainWords } from './missive-parts.ts'

/** How what missives have of people is written into a database: as it is, or encrypted. */
export interface MissiveCodec {
  /** Tells ways of writing apart: what was written in another one is made anew from the logs. 0 for readable. */
  readonly id: number
  /** One that encrypts by the key of a tenant that has its own, and opens what it, or this one, has written. */
  forTenant?(tenant: string): Promise<MissiveCodec>
  /** Opens a text whose tenant is not known. */
  openAnyText?(written: string): Promise<string>
  /** The same for the same text, so that it can be looked for. */
  text(text: string): string
  openText(written: string): string
  /** Of a session. */
  bytes(bytes: Uint8Array, session: string): Uint8Array
  openBytes(written: Uint8Array, session: string): Uint8Array
  /** What stands for a name that is only compared. */
  name(name: string): string
  /** What the index of words is given for a text. */
  indexed(text: string): string
  /** The words of a text as an engine without words of its own keeps them. */
  words(text: string): readonly string[]
  /** False when only whole words are found. */
  readonly findsBeginnings: boolean
}

/** Missives that can be read in the database. */
export const readableMissives: MissiveCodec = {
  id: 0,
  text: (text) => text,
  openText: (text) => text,
  bytes: (bytes) => bytes,
  openBytes: (bytes) => bytes,
  name: (name) => name,
  indexed: (text) => text,
  words: plainWords,
  findsBeginnings: true,
}

/** How the missives of a tenant are written. */
export async function codecFor(codec: MissiveCodec, tenant: string | undefined): Promise<MissiveCodec> {
  return tenant === undefined ? codec : ((await codec.forTenant?.(tenant)) ?? codec)
}

/** The tenant of the session that a read position is of, as its state tells. */
export function tenantOfPlace({ state }: { readonly state: unknown }): string | undefined {
  const { tenant } = (state ?? {}) as { readonly tenant?: unknown }
  return typeof tenant === 'string' ? tenant : undefined
}
