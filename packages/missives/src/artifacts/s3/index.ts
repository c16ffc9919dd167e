export type { BucketOptions } from './bucket.ts'
export { S3ArtifactStore, type S3ArtifactStoreOptions } from './s3-artifact-store.ts'
