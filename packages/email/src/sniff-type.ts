const signatures: readonly (readonly [type: string, at: number, bytes: string])[] = [
  ['application/pdf', 0, '%PDF-'],
  ['image/png', 0, '\u0089PNG\r\n'],
  ['image/jpeg', 0, '\u00ff\u00d8\u00ff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['application/zip', 0, 'PK\u0003\u0004'],
  ['application/x-dosexec', 0, 'MZ'],
  ['application/x-elf', 0, '\u007fELF'],
]
const insideZip = /^application\/(?:zip|vnd\.oasis\.opendocument\.[a-z]+|vnd\.openxmlformats-officedocument\.[a-z.]+)$/
const markup = ['<!doctype html', '<html', '<script', '<svg', '<?xml', '<body']

/**
 * What a file is by its first bytes, where they tell: that counts, whatever its sender says. A file that says it is a
 * picture or a document and does not begin like one is only bytes.
 */
export function sniffType(content: Uint8Array, declared: string): string {
  const head = Buffer.from(content.buffer, content.byteOffset, Math.min(content.byteLength, 512)).toString('latin1')
  const found = signatures.find(([, at, bytes]) => head.startsWith(bytes, at))?.[0]
  const type = declared.toLowerCase()
  if (found === 'application/zip') return insideZip.test(type) ? type : found
  if (found !== undefined) return found
  const isNamed = signatures.some(([name]) => name === type) || insideZip.test(type)
  if (isNamed) return 'application/octet-stream'
  const start = head.trimStart().toLowerCase()
  const looksLikeMarkup = markup.some((mark) => start.startsWith(mark))
  return looksLikeMarkup && (type.startsWith('text/') || type.startsWith('image/')) ? 'text/html' : type
}
