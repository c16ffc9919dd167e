import { ModalApi } from '@a2ui/web_core/v0_9'
import { html, nothing } from 'lit'
import { component, type View } from '../component-element.ts'
import { iconSvg } from './icon.ts'
import { spokenOf } from '../values.ts'

interface Local {
  isOpen: boolean
  name: string
}

export const modal = component(
  ModalApi,
  (): Local => ({ isOpen: false, name: '' }),
  (view) => {
    const { props, local, child, find, id } = view
    const trigger = child(props.trigger)
    const name = spokenOf(props.accessibility).label ?? local.name
    return html`<div class="trigger" data-opens @click=${() => open(view)}>
        ${
          find(props.trigger)?.type === 'Button'
            ? trigger
            : html`<button type="button" class="button borderless" aria-haspopup="dialog">${trigger}</button>`
        }
      </div>
      <dialog
        class="dialog"
        id=${id('dialog')}
        aria-label=${name === '' ? 'Details' : name}
        @close=${() => view.change({ isOpen: false })}
        @click=${(event: MouseEvent) => closeOnBackdrop(event)}
      >
        ${
          local.isOpen
            ? html`<div class="dialog-content">
                <button type="button" class="button borderless close" aria-label="Close" @click=${close}>
                  ${iconSvg('close')}
                </button>
                ${child(props.content)}
              </div>`
            : nothing
        }
      </dialog>`
  },
)

/** The browser’s own dialog keeps the focus inside, closes on Escape, and gives the focus back. */
function open({ element, id, change }: View<Local>): void {
  const name = (element.querySelector('.trigger')?.textContent ?? '').replaceAll(/\s+/g, ' ').trim()
  change({ isOpen: true, name })
  // Once its content is there, so that the focus finds something in it.
  requestAnimationFrame(() => {
    const dialog = element.querySelector<HTMLDialogElement>(`#${id('dialog')}`)
    if (dialog !== null && !dialog.open) dialog.showModal()
  })
}

function close(event: Event): void {
  ;(event.currentTarget as Element).closest('dialog')?.close()
}

function closeOnBackdrop(event: MouseEvent): void {
  if (event.target === event.currentTarget) (event.currentTarget as HTMLDialogElement).close()
}
