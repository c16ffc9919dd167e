// The reader's own configuration.
declare module '*/beach.config.ts' {
  import type { BeachOptions } from '@cool-ai/beach'

  const config: BeachOptions
  export default config
}
