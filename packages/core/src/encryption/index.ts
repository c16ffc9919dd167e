export { encryptionVariable, givenKeys, type KeyService, type WrappedKey } from './key-service.ts'
export { destroyTenantKeys, encryptionPrefix, keysNeeded, MainKeys, rewrapKeys } from './main-keys.ts'
export { keyBytes, notOpened, sealedExtraBytes, Sealing } from './sealing.ts'
export { TenantKeys } from './tenant-keys.ts'
