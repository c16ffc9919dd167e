export { Admission, type AdmissionOptions } from './admission.ts'
export { Allowances, type AllowancesOptions } from './allowances.ts'
export {
  defaultCallerLimits,
  type CallerLimits,
  type Counted,
  type Limit,
  type Quota,
  type Scope,
  type Windows,
} from './limits.ts'
export { StreamCount } from './stream-count.ts'
export { UseSharing } from './use-sharing.ts'
