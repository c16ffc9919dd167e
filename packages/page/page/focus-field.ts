/** Goes back to the message field after something was pressed that is about to vanish, and would take the focus along. */
export function focusField(): void {
  // On a phone the keyboard would come up, and hide most of the page.
  if (!matchMedia('(pointer: coarse)').matches) document.getElementById('text')?.focus()
}
