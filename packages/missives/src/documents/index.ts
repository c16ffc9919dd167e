export type { DocumentQuery, DocumentSource, Passage } from './document-source.ts'
export { documentTool, type DocumentToolOptions } from './document-tool.ts'
export { openDocuments, SqliteDocuments, type DocumentsOptions, type StoredDocument } from './sqlite-documents.ts'
