import type { MainKeys } from '@cool-ai/beach-core/encryption'
import type { MissiveCodec } from '../missives/missive-codec.ts'
import { plainWords } from '../missives/missive-parts.ts'

const textMark = 's:'
// No compressed body begins with it.
const bytesMark = Buffer.from([0x07])
const nonceBytes = 12

/**
 * Missives whose bodies, correspondents and deliveries are encrypted. Addresses and words stand as fingerprints by a key,
 * in no order, so whole words are found, and beginnings of words are not.
 */
export function sealedMissives(main: MainKeys): MissiveCodec {
  const sealing = main.sealing('missives')
  const [nonces, names, wordPrints] = ['nonces', 'names', 'words'].map((kind) => main.fingerprints(`missive ${kind}`))
  const printed = (print: typeof names, text: string) => print?.(text).toString('hex') ?? ''
  const words = (text: string) => plainWords(text).map((word) => printed(wordPrints, word).slice(0, 16))
  return {
    id: Number.parseInt(printed(names, 'id').slice(0, 6), 16) || 1,
    text: (text) => {
      // A nonce that follows from the text: equal texts are equal, and no nonce is used for two texts.
      const nonce = nonces?.(text).subarray(0, nonceBytes)
      return textMark + sealing.seal(text, ['missive text'], nonce).toString('base64url')
    },
    openText(written) {
      if (!written.startsWith(textMark)) return written
      return sealing.open(Buffer.from(written.slice(textMark.length), 'base64url'), ['missive text']).toString()
    },
    bytes: (bytes, session) => Buffer.concat([bytesMark, sealing.seal(bytes, ['missive', session])]),
    openBytes(written, session) {
      if (written[0] !== bytesMark[0]) return written
      return sealing.open(written.subarray(1), ['missive', session])
    },
    name: (name) => printed(names, name).slice(0, 32),
    indexed: (text) => [...new Set(words(text))].toSorted().join(' '),
    words,
    findsBeginnings: false,
  }
}
