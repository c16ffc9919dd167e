import type { ChannelPreview, PreviewItem, TurnPreview } from '@cool-ai/beach-core/ports'

/** A preview of a channel that gets settled answers; it says why, where there is nothing. */
export function bufferedPreview(
  label: string,
  { isSettled }: Pick<TurnPreview, 'isSettled'>,
  items: readonly PreviewItem[],
  note?: string,
): ChannelPreview {
  if (items.length > 0) return { label, items, ...(note !== undefined && { note }) }
  const why = isSettled
    ? 'Nothing of this turn is for this channel.'
    : 'Nothing yet: this channel gets the answer once it is complete.'
  return { label, items, note: why }
}
