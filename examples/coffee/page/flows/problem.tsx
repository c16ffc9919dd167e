/** @jsxImportSource react */
import { useFlowContext, useFlowError } from '@intentflow/core/react'

/** What went wrong in a flow, in words. */
export function Problem() {
  const { problem } = useFlowContext<{ readonly problem?: string | null }>()
  const error = useFlowError()
  const text = problem ?? error?.message
  if (text === undefined || text === null) return null
  return (
    <p className="problem" role="alert">
      {text}
    </p>
  )
}
