import type { Part, PartTypeRegistry } from '@cool-ai/beach-core'
import { peerOrigin } from '@cool-ai/beach-core/ports'
import type { PartTypeFunctions } from '@cool-ai/beach-core/registries'
import { dataToHtml, dataToText } from './data/data-blocks.ts'
import { surfaceToHtml, surfaceToText } from './readable/surface-to-text.ts'
import { problemText } from './validate/problems.ts'
import { validateA2ui } from './validate/validate-a2ui.ts'

type Validate = NonNullable<PartTypeFunctions['validate']>

const validators = new WeakSet<Validate>()

/**
 * Teaches a registry of part types A2UI: surfaces are validated, and they and domain data get a text and an HTML form.
 * What an application has registered itself stays. Doing it again changes nothing.
 */
export function registerA2ui(partTypes: PartTypeRegistry): void {
  const surface = partTypes.get('a2ui-surface')
  if (surface !== undefined) {
    partTypes.amend('a2ui-surface', {
      validate: withA2ui(surface.validate),
      toText: surface.toText ?? surfaceText,
      toHtml: surface.toHtml ?? surfaceHtml,
    })
  }
  const data = partTypes.get('domain-data')
  if (data !== undefined) {
    partTypes.amend('domain-data', { toText: data.toText ?? dataText, toHtml: data.toHtml ?? dataHtml })
  }
}

/** The rules that stand, and A2UI's. */
function withA2ui(standing: Validate | undefined): Validate {
  if (standing !== undefined && validators.has(standing)) return standing
  const validate: Validate = (part) => {
    const problems = standing?.(part) ?? []
    return problems.length > 0 ? problems : validateA2ui(part.data).problems.map((problem) => problemText(problem))
  }
  validators.add(validate)
  return validate
}

const surfaceText = (part: Part) => emptyToUndefined(surfaceToText(part.data, { from: peerName(part) })) ?? part.text
const surfaceHtml = (part: Part) => emptyToUndefined(surfaceToHtml(part.data, { from: peerName(part) }))
const dataText = ({ data, text }: Part) => emptyToUndefined(dataToText(data)) ?? text
const dataHtml = ({ data }: Part) => emptyToUndefined(dataToHtml(data))

/** The other agent whose surface a part is; undefined for the agent's own. */
function peerName(part: Part): string | undefined {
  const { name, peer, from } = peerOrigin(part) ?? {}
  return from === undefined ? (name ?? peer) : `${from}, through ${name ?? peer}`
}

function emptyToUndefined(text: string): string | undefined {
  return text === '' ? undefined : text
}
