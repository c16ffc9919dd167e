export { encryptionVariable, givenKeys, type KeyService, type WrappedKey } from './key-service.ts'
export { encryptionPrefix, keysNeeded, MainKeys, rewrapKeys } from './main-keys.ts'
export { keyBytes, notOpened, sealedExtraBytes, Sealing } from './sealing.ts'
