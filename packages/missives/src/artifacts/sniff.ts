import { parseMimeType } from './media-type.ts'

/** The type of an artifact whose bytes contradict its declared type. */
const unknownType = 'application/octet-stream'

/** How many bytes of the beginning tell the type. */
export const sniffedBytes = 1_024

interface Signature {
  /** The types that such bytes may be. */
  readonly types: RegExp
  readonly matches: (head: Buffer) => boolean
}

const at =
  (offset: number, text: string) =>
  (head: Buffer): boolean =>
    head.subarray(offset, offset + text.length).equals(Buffer.from(text, 'latin1'))

const riff = (kind: string) => (head: Buffer) => at(0, 'RIFF')(head) && at(8, kind)(head)

/** By what the usual types begin. Those that come first are looked for first. */
const signatures: readonly Signature[] = [
  { types: /^image\/png$/, matches: at(0, '\x89PNG\r\n\x1a\n') },
  { types: /^image\/jpeg$/, matches: at(0, '\xff\xd8\xff') },
  { types: /^image\/gif$/, matches: (head) => at(0, 'GIF87a')(head) || at(0, 'GIF89a')(head) },
  { types: /^image\/webp$/, matches: riff('WEBP') },
  { types: /^audio\/(?:x-)?(?:wav|wave|vnd\.wave)$/, matches: riff('WAVE') },
  { types: /^video\/(?:x-)?(?:msvideo|avi)$/, matches: riff('AVI ') },
  { types: /^(?:audio|video|application)\/(?:ogg|opus|x-vorbis\+ogg)$/, matches: at(0, 'OggS') },
  { types: /^audio\/(?:x-)?flac$/, matches: at(0, 'fLaC') },
  { types: /^audio\/(?:amr(?:-wb)?|3gpp)$/, matches: at(0, '#!AMR') },
  { types: /^audio\/(?:mpeg|mp3|x-mp3|x-mpeg)$/, matches: (head) => at(0, 'ID3')(head) || isMpegAudio(head) },
  { types: /^audio\/(?:aac|x-aac|aacp)$/, matches: (head) => head[0] === 0xff && (Number(head[1]) & 0xf6) === 0xf0 },
  {
    types: /^(?:audio\/(?:mp4|x-m4a|m4a|aac|3gpp2?)|video\/(?:mp4|quicktime|x-m4v|3gpp2?)|image\/(?:heic|heif|avif))$/,
    matches: at(4, 'ftyp'),
  },
  { types: /^(?:audio|video)\/(?:webm|x-matroska|matroska)$/, matches: at(0, '\x1aE\xdf\xa3') },
  {
    types: /^application\/(?:zip|epub\+zip|vnd\.(?:openxmlformats-officedocument|oasis\.opendocument)\..+)$/,
    matches: (head) => at(0, 'PK\x03\x04')(head) || at(0, 'PK\x05\x06')(head),
  },
  { types: /^application\/gzip$/, matches: at(0, '\x1f\x8b') },
  { types: /^application\/(?:x-7z-compressed)$/, matches: at(0, "7z\xbc\xaf'\x1c") },
  { types: /^application\/(?:vnd\.rar|x-rar-compressed)$/, matches: at(0, 'Rar!\x1a\x07') },
  // Programs, and old documents of Office, which can hold some.
  { types: /^application\/(?:x-msdownload|vnd\.microsoft\.portable-executable)$/, matches: at(0, 'MZ') },
  { types: /^application\/(?:x-elf|x-executable|x-sharedlib)$/, matches: at(0, '\x7fELF') },
  {
    types: /^application\/x-mach-binary$/,
    matches: (head) => /^(?:feedfac[ef]|c[ef]faedfe|cafebabe)$/.test(hex(head)),
  },
  { types: /^application\/(?:msword|vnd\.ms-.+|x-ole-storage)$/, matches: at(0, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1') },
  // Last, since readers of it look for its mark anywhere at the beginning.
  { types: /^application\/pdf$/, matches: (head) => head.includes('%PDF-') },
]

/**
 * The type to keep: the declared one, unless the bytes show that it is another. A type whose bytes are unknown here is
 * accepted, as long as the bytes are of no known type.
 */
export function sniffedType(declared: string, beginning: Uint8Array): string {
  const { essence } = parseMimeType(declared)
  const head = Buffer.from(beginning.buffer, beginning.byteOffset, beginning.byteLength)
  if (head.byteLength === 0) return declared
  if (isText(essence)) return isTextual(head) ? declared : unknownType
  const found = signatures.find(({ matches }) => matches(head))
  const isKnown = signatures.some(({ types }) => types.test(essence))
  if (found === undefined) return isKnown ? unknownType : declared
  return found.types.test(essence) ? declared : unknownType
}

function isText(essence: string): boolean {
  return essence.startsWith('text/') || /^application\/(?:json|.+\+json|xml|.+\+xml)$/.test(essence)
}

/** Without the control characters that no text has. UTF-16 is text too, if it says so. */
function isTextual(head: Buffer): boolean {
  if (at(0, '\xff\xfe')(head) || at(0, '\xfe\xff')(head)) return true
  if (at(0, '%PDF-')(head)) return false
  return !head.some((byte) => byte < 9 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32) || byte === 127)
}

/** A frame header with a version, layer, bit rate and sampling rate that exist. */
function isMpegAudio(head: Buffer): boolean {
  const [first = 0, second = 0, third = 0] = head
  const hasVersion = (second & 0x18) !== 0x08
  const hasLayer = (second & 0x06) !== 0
  return (
    first === 0xff && (second & 0xe0) === 0xe0 && hasVersion && hasLayer && third >> 4 !== 15 && (third & 0x0c) !== 0x0c
  )
}

function hex(head: Buffer): string {
  return head.subarray(0, 4).toString('hex')
}

/** Bytes on their way, of which the beginning is remembered. */
export class Sniffer {
  #head: Buffer = Buffer.alloc(0)

  async *passing(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of bytes) {
      if (this.#head.byteLength < sniffedBytes) {
        this.#head = Buffer.concat([this.#head, piece.subarray(0, sniffedBytes - this.#head.byteLength)])
      }
      yield piece
    }
  }

  /** The type of the bytes that have passed. */
  type(declared: string): string {
    return sniffedType(declared, this.#head)
  }
}
