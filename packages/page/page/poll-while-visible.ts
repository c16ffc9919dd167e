/** Runs `read` now, whenever the page comes into view, and `everyMs` after the last time while it is in view. */
export function pollWhileVisible(read: () => Promise<void>, everyMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  const round = async () => {
    clearTimeout(timer)
    if (!document.hidden) await read()
    if (!isOver) timer = setTimeout(() => void round(), everyMs)
  }
  const onShow = () => void round()
  document.addEventListener('visibilitychange', onShow)
  void round()
  return () => {
    isOver = true
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', onShow)
  }
}
