const leavings = new Set<() => void>()

/**
 * Runs `leave` when the process ends by itself, or by `process.exit`, and not when it is killed. The returned function
 * takes that back.
 */
export function leaveAtExit(leave: () => void): () => void {
  if (leavings.size === 0) process.on('exit', leaveAll)
  leavings.add(leave)
  return () => {
    leavings.delete(leave)
    if (leavings.size === 0) process.off('exit', leaveAll)
  }
}

function leaveAll(): void {
  for (const leave of leavings) {
    try {
      leave()
    } catch {
      // The file is busy or gone: the next process finds this one's traces, as after a kill.
    }
  }
}
