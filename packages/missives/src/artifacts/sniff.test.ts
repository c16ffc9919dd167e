import { describe, expect, test } from 'vitest'
import { defaultMimeTypes } from './media-type.ts'
import { sniffedType } from './sniff.ts'

const bytes = (start: string, length = 64) => Buffer.concat([Buffer.from(start, 'latin1'), Buffer.alloc(length, 1)])
const unknown = 'application/octet-stream'

const samples: readonly (readonly [string, Buffer])[] = [
  ['application/pdf', bytes('%PDF-1.4\n%\xe2\xe3')],
  ['application/pdf', bytes(`${'\n'.repeat(200)}%PDF-1.4`)],
  ['image/png', bytes('\x89PNG\r\n\x1a\n')],
  ['image/jpeg', bytes('\xff\xd8\xff\xe0')],
  ['image/gif', bytes('GIF89a')],
  ['image/webp', bytes('RIFF\x10\x00\x00\x00WEBPVP8 ')],
  ['audio/wav', bytes('RIFF\x10\x00\x00\x00WAVEfmt ')],
  ['audio/ogg', bytes('OggS')],
  ['audio/mpeg', bytes('ID3\x04')],
  ['audio/mpeg', bytes('\xff\xfb\x90\x64')],
  ['audio/aac', bytes('\xff\xf1\x50\x80')],
  ['audio/mp4', bytes('\0\0\0\x20ftypM4A ')],
  ['audio/amr', bytes('#!AMR\n')],
  ['audio/flac', bytes('fLaC')],
  ['video/mp4', bytes('\0\0\0\x20ftypisom')],
  ['video/webm', bytes('\x1aE\xdf\xa3')],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', bytes('PK\x03\x04')],
  ['application/vnd.oasis.opendocument.text', bytes('PK\x03\x04')],
]

describe('the type of bytes', () => {
  test.each(samples)('%s is what it says', (type, head) => expect(sniffedType(type, head)).toBe(type))

  test('is never another one that is taken here by default', () => {
    const types = defaultMimeTypes.filter((type) => !type.endsWith('*'))
    for (const [real, head] of samples) {
      for (const claimed of types) {
        const family = real.startsWith('application/vnd') && claimed.startsWith('application/vnd')
        if (claimed === real || family) continue
        expect(sniffedType(claimed, head), `${real} as ${claimed}`).toBe(unknown)
      }
    }
  })

  test.each([
    ['image/png', 'a text that says it is a picture'],
    ['application/pdf', '<html><script>alert(1)</script>'],
    ['image/jpeg', '<svg onload=alert(1)>'],
    ['video/mp4', '\x7fELF\x02\x01'],
  ])('is not known when it is not %s', (type, start) => expect(sniffedType(type, bytes(start, 0))).toBe(unknown))

  test('of a text is believed as long as it is text', () => {
    for (const type of ['text/plain', 'text/csv', 'text/html', 'text/markdown', 'application/json']) {
      expect(sniffedType(type, Buffer.from('GIF89a is how they begin;\tRIFF, too\r\n'))).toBe(type)
      expect(sniffedType(type, Buffer.from('東京 – Zürich \u{1F3D6}'))).toBe(type)
      expect(sniffedType(type, Buffer.from('\uFEFFwith a mark', 'utf16le'))).toBe(type)
      expect(sniffedType(type, Buffer.from('nul\0byte'))).toBe(unknown)
    }
  })

  test('that we have no bytes of is believed, and so is an empty file', () => {
    expect(sniffedType('audio/midi', bytes('MThd'))).toBe('audio/midi')
    expect(sniffedType('application/pdf', Buffer.alloc(0))).toBe('application/pdf')
  })

  test('keeps its parameters', () => {
    expect(sniffedType('text/csv; charset=utf-8', Buffer.from('a,b'))).toBe('text/csv; charset=utf-8')
  })
})
