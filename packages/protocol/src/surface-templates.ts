import { BeachError, type Part } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { a2uiMessages } from './a2ui-messages.ts'
import { approvalRequestSchema } from './approval.ts'
import { approvalSurface, approvalSurfacePrefix } from './approval-surface.ts'
import { askedApproval } from './approval-words.ts'

/** What a template knows of the data besides the data itself. */
export interface SurfaceContext {
  readonly kind?: string
  readonly slotKey?: string
  readonly part: Part
}

/** What can become a surface of any id: a builder's node. */
interface SurfaceSource {
  toSurface(surfaceId: string, data: unknown): unknown
}

/**
 * Makes a surface of data: A2UI messages in any form that `a2uiMessages` reads, a node of `a2uiBuilder`, or undefined for
 * no surface. A node's surface is named after the approval, the slot or the kind of the data.
 */
export type SurfaceTemplate<Data = unknown> = (data: Data, context: SurfaceContext) => unknown

/** Chooses the parts that a template is for when their kind alone does not. */
export type SurfacePredicate = (part: Part) => boolean

/** The templates that make surfaces of data, by its kind. */
export class SurfaceTemplateRegistry {
  readonly #byKind = new Map<string, SurfaceTemplate>()
  readonly #byPredicate: { readonly matches: SurfacePredicate; readonly template: SurfaceTemplate }[] = []

  /** Adds a template for a kind, or for the parts that a predicate accepts; `approval-request` overrides the built-in one. */
  register<Data>(match: string | SurfacePredicate, template: SurfaceTemplate<Data>): void {
    // Who registers a template for a kind answers for the shape of that kind's data.
    const registered = template as SurfaceTemplate
    if (typeof match === 'function') {
      this.#byPredicate.push({ matches: match, template: registered })
      return
    }
    const standing = this.#byKind.get(match)
    if (standing !== undefined && standing !== registered) {
      throw new BeachError('INVALID_REGISTRATION', `The kind '${match}' already has another surface template.`)
    }
    this.#byKind.set(match, registered)
  }

  /** The a2ui-surface part that a domain-data or approval-request part leads to; undefined when no template matches. */
  surfaceFor(part: Part): Part | undefined {
    const template = this.#find(part)
    if (template === undefined) return undefined
    const { slotKey } = part.metadata
    const kind = kindOf(part)
    const place = defined({ kind, slotKey })
    const made = template(part.data, { ...place, part })
    if (made === undefined || made === null) return undefined
    const surface = isSource(made) ? made.toSurface(surfaceName(part), part.data) : made
    const metadata = { partType: 'a2ui-surface', ...defined({ slotKey }) }
    return { data: a2uiMessages(surface), metadata }
  }

  #find(part: Part): SurfaceTemplate | undefined {
    const kind = kindOf(part)
    const registered = kind === undefined ? undefined : this.#byKind.get(kind)
    const chosen = registered ?? this.#byPredicate.find(({ matches }) => matches(part))?.template
    return chosen ?? (part.metadata.partType === 'approval-request' ? builtInApproval : undefined)
  }
}

/** The default registry of surface templates. */
export const surfaceTemplates: SurfaceTemplateRegistry = new SurfaceTemplateRegistry()

/** Registers a surface template with the default registry. */
export function registerSurfaceTemplate<Data>(match: string | SurfacePredicate, template: SurfaceTemplate<Data>): void {
  surfaceTemplates.register(match, template)
}

function kindOf({ metadata }: Part): string | undefined {
  return metadata.partType === 'approval-request' ? metadata.partType : metadata.kind
}

/** What a surface is called that brings no name of its own. */
function surfaceName(part: Part): string {
  const request =
    part.metadata.partType === 'approval-request' ? approvalRequestSchema.safeParse(part.data).data : undefined
  if (request !== undefined) return `${approvalSurfacePrefix}${request.approvalId}`
  return part.metadata.slotKey ?? kindOf(part) ?? 'surface'
}

function isSource(made: unknown): made is SurfaceSource {
  return typeof made === 'object' && made !== null && 'toSurface' in made && typeof made.toSurface === 'function'
}

function builtInApproval(_: unknown, { part }: SurfaceContext): unknown {
  const asked = askedApproval(part)
  return asked && approvalSurface(asked)
}
