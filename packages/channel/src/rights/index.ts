export { contextOfChannel } from './channel-context.ts'
export { Rights, type RightsOptions } from './rights.ts'
export { actScope, adminScope, defaultRoles, holdsScope, lookScope, requireOperator, type Roles } from './roles.ts'
