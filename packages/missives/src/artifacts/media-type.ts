import { BeachError } from '@cool-ai/beach-core'

const name = '[a-z0-9][a-z0-9!#$&^_.+-]{0,126}'
const essence = new RegExp(`^${name}/${name}$`)
const parameter = /^([a-z0-9!#$&^_.+-]+)=(?:([A-Za-z0-9!#$&^_.+-]+)|"([A-Za-z0-9!#$&^_.+-]+)")$/
const pattern = new RegExp(`^${name}/(?:\\*|${name})$`)

/** Documents, pictures, sound and film; no programs, no archives, no pictures that can run a script. */
export const defaultMimeTypes: readonly string[] = [
  'application/json',
  'application/pdf',
  'application/vnd.oasis.opendocument.presentation',
  'application/vnd.oasis.opendocument.spreadsheet',
  'application/vnd.oasis.opendocument.text',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'audio/*',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
  'text/calendar',
  'text/csv',
  'text/html',
  'text/markdown',
  'text/plain',
  'text/vcard',
  'video/*',
]

/** The declared type in one form: lower case, parameters after `; `. An error when it is not a type at all. */
export function parseMimeType(declared: string): { readonly essence: string; readonly mimeType: string } {
  const [type = '', ...parameters] = declared.length > 200 ? [] : declared.split(';').map((piece) => piece.trim())
  const lower = type.toLowerCase()
  const kept = parameters.map((text) => {
    const at = text.indexOf('=')
    const match = parameter.exec(text.slice(0, at).toLowerCase() + text.slice(at))
    return match === null ? undefined : `${match[1]}=${match[2] ?? match[3]}`
  })
  if (!essence.test(lower) || kept.includes(undefined)) {
    throw new BeachError('BAD_REQUEST', 'An artifact needs a media type, such as `application/pdf`.')
  }
  return { essence: lower, mimeType: [lower, ...kept].join('; ') }
}

/** Tells whether a type is on the list, whose entries are types or, for all of a kind, such as `audio/*`. */
export function mimeTypeList(entries: readonly string[]): (essence: string) => boolean {
  const wrong = entries.find((entry) => !pattern.test(entry))
  if (wrong !== undefined) {
    throw new BeachError(
      'INVALID_CONFIGURATION',
      `'${wrong}' is not a media type in lower case, nor one like 'audio/*'.`,
    )
  }
  const listed = new Set(entries)
  return (type) => listed.has(type) || listed.has(`${type.split('/')[0]}/*`)
}
