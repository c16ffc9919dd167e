/** What is pressed: a component of a surface, with the values of its context that are bound to data. */
export interface Pressed {
  readonly surfaceId: string
  readonly componentId: string
  readonly name: string
  readonly context?: Readonly<Record<string, unknown>>
  readonly timestamp?: string
}

let presses = 0

/** What A2UI has a client send when a user presses a button; each time at another time. */
export function actionMessage({ surfaceId, componentId, name, context = {}, timestamp }: Pressed) {
  const at = timestamp ?? new Date(1_790_000_000_000 + presses++).toISOString()
  return { version: 'v0.9', action: { name, surfaceId, sourceComponentId: componentId, timestamp: at, context } }
}

/** The same as a part. */
export function actionPart(pressed: Pressed) {
  return { data: actionMessage(pressed), metadata: { partType: 'a2ui-action' } }
}

/** The buttons of the built-in surface of an approval. */
export function decides(approvalId: string, decision: 'granted' | 'denied'): Pressed {
  return {
    surfaceId: `approval-${approvalId}`,
    componentId: decision === 'granted' ? 'approve' : 'deny',
    name: 'approval.decide',
    context: { approvalId, decision },
  }
}
