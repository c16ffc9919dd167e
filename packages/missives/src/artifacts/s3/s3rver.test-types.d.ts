declare module 's3rver' {
  /** A server that speaks S3, on this machine, with its objects in a folder. */
  export default class S3rver {
    constructor(options: {
      readonly port: number
      readonly address: string
      readonly directory: string
      readonly silent: boolean
      readonly configureBuckets: readonly { readonly name: string }[]
    })
    run(): Promise<{ readonly port: number }>
    close(): Promise<void>
  }
}
