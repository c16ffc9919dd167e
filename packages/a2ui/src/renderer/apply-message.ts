import { ComponentModel } from '@a2ui/web_core/v0_9'
import type { UpdateComponents, UpdateDataModel } from '../messages.ts'
import type { Surface } from './surface-element.ts'
import { servicesOf } from './surface-services.ts'

/** Adds components to a surface, or replaces those that have the same id. Only what shows them is drawn again. */
export function updateComponents(surface: Surface, { components }: UpdateComponents): void {
  const model = surface.componentsModel
  const { watchers } = servicesOf(surface.dataModel)
  for (const { id, component, ...properties } of components) {
    if (model.get(id) !== undefined) model.removeComponent(id)
    model.addComponent(new ComponentModel(id, component, properties))
    for (const watcher of watchers) if (watcher.shows(id)) watcher.requestUpdate()
  }
}

/** Changes a surface’s data. The values are copied: the sender may keep using its own. */
export function updateDataModel(surface: Surface, { path = '/', value }: UpdateDataModel): void {
  const copied: unknown = structuredClone(value)
  surface.dataModel.set(path === '' ? '/' : path, path === '/' || path === '' ? (copied ?? {}) : copied)
}
