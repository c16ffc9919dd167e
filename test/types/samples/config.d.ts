// The reader's own configuration.
declare module '*/beach.config.ts' {
  const config: import('@cool-ai/beach').BeachOptions
  export default config
}
