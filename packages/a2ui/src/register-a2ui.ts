import type { Part, PartTypeRegistry } from '@cool-ai/beach-core'
import { peerOrigin } from '@cool-ai/beach-core/ports'
import type { PartForm, PartTypeFunctions } from '@cool-ai/beach-core/registries'
import { defined } from '@cool-ai/beach-core/runtime'
import { dataChoices, dataToHtml, dataToText } from './data/data-blocks.ts'
import { isPlainObject } from './plain.ts'
import { blocksToHtml } from './readable/blocks-to-html.ts'
import { blocksToText } from './readable/blocks-to-text.ts'
import { inForm, numbered } from './readable/choices.ts'
import { htmlFrom, textFrom } from './readable/quotation.ts'
import { defaultLocale, surfaceBlocks } from './readable/surface-blocks.ts'
import { basicOnly } from './validate/basic-rules.ts'
import type { KnownCatalogs } from './validate/catalog-rules.ts'
import { problemText } from './validate/problems.ts'
import { validateMessages } from './validate/validate-messages.ts'

export type { KnownCatalogs }

type Validate = NonNullable<PartTypeFunctions['validate']>
type SurfaceFunctions = Pick<PartTypeFunctions, 'validate' | 'toText' | 'toHtml' | 'choices'>
type OwnFunctions = { readonly [Name in keyof SurfaceFunctions]-?: NonNullable<SurfaceFunctions[Name]> }

/** What was registered before A2UI, by the validator that was put in its place. */
const before = new WeakMap<Validate, SurfaceFunctions>()

/**
 * Teaches a registry of part types A2UI: surfaces are validated, and they and domain data get a text and an HTML form.
 * What an application has registered itself stays. Doing it again changes nothing, unless it brings catalogs
 * (`knownCatalogs`); the Basic Catalog is always known.
 */
export function registerA2ui(partTypes: PartTypeRegistry, catalogs?: KnownCatalogs): void {
  const surface = partTypes.get('a2ui-surface')
  const earlier = surface?.validate && before.get(surface.validate)
  if (surface !== undefined && (earlier === undefined || catalogs !== undefined)) {
    const { validate: standing, toText, toHtml, choices } = earlier ?? surface
    const own = surfaceFunctions(standing, catalogs ?? basicOnly)
    before.set(own.validate, { validate: standing, toText, toHtml, choices })
    // What an application shows itself has choices of its own: they are numbered as they are shown.
    const shown = choices ?? (toText === undefined ? own.choices : undefined)
    partTypes.amend('a2ui-surface', { ...own, ...defined({ toText, toHtml }), choices: shown })
  }
  const data = partTypes.get('domain-data')
  if (data !== undefined) {
    partTypes.amend('domain-data', {
      toText: data.toText ?? dataText,
      toHtml: data.toHtml ?? dataHtml,
      choices: data.choices ?? (data.toText === undefined ? (part) => dataChoices(part.data) : undefined),
    })
  }
}

/** The rules that stand, and A2UI's; and what surfaces look like elsewhere. */
function surfaceFunctions(standing: Validate | undefined, catalogs: KnownCatalogs): OwnFunctions {
  const blocksOf = ({ data, metadata }: Part) =>
    surfaceBlocks(data, { catalogs, catalogOf: notedCatalogs(metadata), locale: defaultLocale })
  return {
    validate: (part, context) => {
      const problems = standing?.(part, context) ?? []
      if (problems.length > 0) return problems
      const verdict = validateMessages(part.data, { known: catalogs, catalogOf: context?.catalogOf })
      return verdict.problems.map((problem) => problemText(problem))
    },
    toText: (part, form) =>
      emptyToUndefined(textFrom(blocksToText(inForm(blocksOf(part), form)), peerName(part))) ?? part.text,
    toHtml: (part, form) =>
      emptyToUndefined(htmlFrom(blocksToHtml(inForm(blocksOf(part), form), { form }), peerName(part))),
    choices: (part) => numbered(blocksOf(part)).choices,
  }
}

/** The catalogs of surfaces that the part only changes, as the session has noted them. */
function notedCatalogs({ surfaceCatalogs }: Part['metadata']): (surfaceId: string) => string | undefined {
  return (surfaceId) => {
    const noted = isPlainObject(surfaceCatalogs) ? surfaceCatalogs[surfaceId] : undefined
    return typeof noted === 'string' ? noted : undefined
  }
}

const dataText = ({ data, text }: Part, form?: PartForm) => emptyToUndefined(dataToText(data, form)) ?? text
const dataHtml = ({ data }: Part, form?: PartForm) => emptyToUndefined(dataToHtml(data, form))

/** The other agent whose surface a part is; undefined for the agent's own. */
function peerName(part: Part): string | undefined {
  const { name, peer, from } = peerOrigin(part) ?? {}
  return from === undefined ? (name ?? peer) : `${from}, through ${name ?? peer}`
}

function emptyToUndefined(text: string): string | undefined {
  return text === '' ? undefined : text
}
