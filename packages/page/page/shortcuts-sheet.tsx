import { Dialog } from './dialog.tsx'
import { Icon } from './icon.tsx'

/** Every key that does something here. */
export function ShortcutsSheet({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Dialog class="sheet" label="Keyboard" open={open} onClose={onClose}>
      <div class="top">
        <h2>Keyboard</h2>
        <button class="icon-button" type="button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <dl class="shortcuts">
        <dt>
          <kbd>Enter</kbd>
        </dt>
        <dd>sends the message</dd>
        <dt>
          <kbd>Shift</kbd> <kbd>Enter</kbd>
        </dt>
        <dd>begins a new line</dd>
        <dt>
          <kbd>Esc</kbd>
        </dt>
        <dd>stops the answer, or closes an open panel</dd>
        <dt>
          <kbd>Alt</kbd> <kbd>N</kbd>
        </dt>
        <dd>begins a new conversation</dd>
        <dt>
          <kbd>Tab</kbd>, <kbd>Shift</kbd> <kbd>Tab</kbd>
        </dt>
        <dd>move to the next element and back; from the message field back to a pending decision</dd>
      </dl>
    </Dialog>
  )
}
