export const errorCategories = ['validation', 'permission', 'state', 'external', 'internal'] as const
export type ErrorCategory = (typeof errorCategories)[number]

/** What is true of every error with a code, unless it says otherwise itself. */
export interface ErrorKind {
  readonly category: ErrorCategory
  /** The HTTP status, where the error is the answer to a request. */
  readonly status: number
  /** True when the user can go on with the flow. */
  readonly recoverable: boolean
  /** True when the same thing can work a little later. */
  readonly transient: boolean
  readonly message: string
}

const table = {
  INVALID_PROPS: ['validation', 400, false, false, 'The data of this flow does not fit its schema.'],
  INVALID_PAYLOAD: ['validation', 400, true, false, 'What was sent does not have the form that is needed.'],
  INVALID_MESSAGE: ['validation', 400, false, false, 'This is no message of IntentFlow.'],
  INVALID_EVENT: ['validation', 400, true, false, 'This flow does not take that event.'],
  UNSUPPORTED: ['validation', 501, true, false, 'That is not possible on this device.'],
  UNSUPPORTED_VERSION: ['validation', 400, false, false, 'This version of the flow cannot be shown here.'],
  FLOW_NOT_FOUND: ['state', 404, false, false, 'There is no such flow.'],
  INSTANCE_NOT_FOUND: ['state', 404, false, false, 'This flow is not open, or no longer.'],
  INSTANCE_EXPIRED: ['state', 410, false, false, 'The time for this flow has run out.'],
  INVALID_TRANSITION: ['state', 409, true, false, 'That cannot be done in the state that the flow is in.'],
  STATE_CONFLICT: ['state', 409, true, false, 'The flow has changed in the meantime.'],
  DISMISS_REJECTED: ['state', 409, true, false, 'This flow cannot be dismissed before it is complete.'],
  AUTH_REQUIRED: ['permission', 401, true, false, 'You need to sign in for this.'],
  PERMISSION_DENIED: ['permission', 403, false, false, 'You may not do this.'],
  RATE_LIMITED: ['permission', 429, true, true, 'That was too much at once. Try again in a moment.'],
  HYDRATION_FAILED: ['external', 502, true, false, 'What this flow needs could not be found out.'],
  MUTATION_FAILED: ['external', 422, true, false, 'That could not be carried out.'],
  SERVICE_UNAVAILABLE: ['external', 503, true, true, 'A service that is needed does not answer at the moment.'],
  TIMEOUT: ['external', 504, true, true, 'That took too long.'],
  INTERNAL_ERROR: ['internal', 500, false, false, 'Something went wrong here.'],
} as const satisfies Record<string, readonly [ErrorCategory, number, boolean, boolean, string]>

/** The name of what went wrong. An application's own codes go into `details.appCode`. */
export type ErrorCode = keyof typeof table

export const errorCodeNames = Object.keys(table) as [ErrorCode, ...ErrorCode[]]

/** Every code with its category, status and default message. */
export const errorCodes = Object.fromEntries(
  Object.entries(table).map(([code, [category, status, recoverable, transient, message]]) => [
    code,
    { category, status, recoverable, transient, message },
  ]),
) as Readonly<Record<ErrorCode, ErrorKind>>
