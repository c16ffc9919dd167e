/**
 * Runs a function whenever it is asked for, at once if it is quick. One that takes longer runs less often, always once
 * more after the last time that it was asked for, so that a long conversation does not keep the browser from its work.
 */
export function paced(run: () => void, now: () => number = () => performance.now()): () => void {
  let quietUntil = 0
  let planned = false
  const start = () => {
    planned = false
    const begun = now()
    run()
    const ended = now()
    quietUntil = ended - begun > 4 ? ended + 3 * (ended - begun) : 0
  }
  return () => {
    if (planned) return
    const wait = quietUntil - now()
    if (wait <= 0) return start()
    planned = true
    setTimeout(start, wait)
  }
}
