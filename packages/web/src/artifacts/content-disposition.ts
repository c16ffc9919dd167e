/**
 * The header that makes a browser save a file, whatever it is (RFC 6266): the name in ASCII for old readers, and in full
 * as RFC 8187 has it. No name can end the header, add a parameter, or name a folder.
 */
export function attachment(name: string): string {
  const flat = name.toWellFormed().replaceAll(/[/\\\p{C}\p{Zl}\p{Zp}]/gu, '_')
  const ascii = flat
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9 ._()+,=@-]/gu, '_')
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeName(flat)}`
}

/** `encodeURIComponent`, and the four characters that it leaves though RFC 8187 does not. */
function encodeName(name: string): string {
  return encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
