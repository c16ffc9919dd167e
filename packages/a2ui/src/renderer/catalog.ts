import { Catalog } from '@a2ui/web_core/v0_9'
import { basicCatalogId } from '../messages.ts'
import type { ComponentKind } from './component-element.ts'
import { button } from './components/button.ts'
import { checkBox, choicePicker } from './components/choices.ts'
import { dateTimeInput } from './components/date-time-input.ts'
import { icon } from './components/icon.ts'
import { card, column, divider, list, row } from './components/layout.ts'
import { audioPlayer, image, video } from './components/media.ts'
import { modal } from './components/modal.ts'
import { slider } from './components/slider.ts'
import { tabs } from './components/tabs.ts'
import { text } from './components/text.ts'
import { textField } from './components/text-field.ts'
import { functions } from './functions.ts'

/** Our own components of the Basic Catalog. */
export const basicKinds: ComponentKind[] = [
  text,
  image,
  icon,
  video,
  audioPlayer,
  row,
  column,
  list,
  card,
  tabs,
  modal,
  divider,
  button,
  textField,
  checkBox,
  choicePicker,
  slider,
  dateTimeInput,
]

let made: Catalog<ComponentKind> | undefined

/** The Basic Catalog with our own components. Their elements are defined when the first renderer is made. */
export function basicCatalog(): Catalog<ComponentKind> {
  if (made === undefined) {
    made = new Catalog(basicCatalogId, basicKinds, functions)
    for (const kind of basicKinds) kind.define()
  }
  return made
}
