const anHour = 60 * 60 * 1_000

/** Keeps the process alive until the returned function is called: timers of a `Clock` let it end. */
export function holdProcess(): () => void {
  const handle = setInterval(() => {}, anHour)
  return () => clearInterval(handle)
}

/** Keeps the process alive until `work` settles, so that its awaiter is answered. */
export async function keepAlive<Value>(work: Promise<Value>): Promise<Value> {
  const letGo = holdProcess()
  try {
    return await work
  } finally {
    letGo()
  }
}
