const maxBytes = 200
const separators = /[/\\\u2044\u2215\u2571\u29f8\uff0f\uff3c]/u
/** Controls, bidi and other formatting, halves of pairs, private and unassigned characters, and what shows as nothing. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu
const unfit = /[<>:"|?*]/g
/** Names that Windows keeps for devices, with any extension. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?= *(?:\.|$))/i
const extension = /\.[\p{L}\p{N}]{1,15}$/u

/**
 * The name as a file name that is safe on any system: no path, nothing invisible, no hidden file, no device, at
 * most 200 bytes, in any script. What is safe already stays as it is.
 */
export function safeName(name: string): string {
  const seen = name
    .replaceAll(/[\t-\r\p{Z}]/gu, ' ')
    .replaceAll(unseen, '')
    .normalize('NFC')
  const steps = seen.replaceAll(unfit, '-').split(separators)
  const plain = tidy(steps.filter((step) => !/^[. ]*$/.test(step)).join('-'))
  return device.test(plain) ? tidy(`_${plain}`) : plain
}

/** Without spaces and marks at the ends that mean something to systems or shells, and not too long. */
function tidy(name: string): string {
  const started = name.replaceAll(/ +/g, ' ').replace(/^[-.~ ]+/, '')
  return shorten(started).replace(/[. ]+$/, '') || 'file'
}

/** Cuts between characters, before the extension. */
function shorten(name: string): string {
  if (Buffer.byteLength(name) <= maxBytes) return name
  const end = extension.exec(name)?.[0] ?? ''
  let room = maxBytes - Buffer.byteLength(end)
  let start = ''
  for (const character of name) {
    room -= Buffer.byteLength(character)
    if (room < 0) break
    start += character
  }
  return start.replace(/[. ]+$/, '') + end
}
