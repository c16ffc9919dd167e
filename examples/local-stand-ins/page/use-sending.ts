import { useState } from 'preact/hooks'

/** Something that is sent once at a time, with what went wrong the last time. */
export function useSending(): {
  readonly isSending: boolean
  readonly problem: string | undefined
  /** Resolves with whether it went. */
  readonly send: (work: () => Promise<void>) => Promise<boolean>
} {
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState<string>()
  const send = async (work: () => Promise<void>): Promise<boolean> => {
    setSending(true)
    setProblem(undefined)
    try {
      await work()
      return true
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      return false
    } finally {
      setSending(false)
    }
  }
  return { isSending, problem, send }
}
