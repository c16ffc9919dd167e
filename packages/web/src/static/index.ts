export { staticFiles, type ServeStatic, type StaticContent, type StaticFilesOptions } from './static-files.ts'
