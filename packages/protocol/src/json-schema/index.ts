export { foreignSchemaProblems } from './foreign-schema.ts'
export { canonicalText, kindOf, checkSchema, isObject, mapSubschemas, type JsonSchema } from './json-schema.ts'
export { schemaProblems } from './schema-problems.ts'
