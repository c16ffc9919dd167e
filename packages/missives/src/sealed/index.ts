export { readableMissives, type MissiveCodec } from '../missives/missive-codec.ts'
export { SealedArtifactStore, type ArtifactKeys } from './sealed-artifact-store.ts'
export { sealedMissives } from './sealed-missives.ts'
