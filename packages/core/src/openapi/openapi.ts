/** An object of the document, as JSON. */
export type JsonObject = Readonly<Record<string, unknown>>

/** A JSON Schema of draft 2020-12, which is what OpenAPI 3.1 takes. */
export type OpenApiSchema = JsonObject

/** What the OpenAPI document of an agent says about some of its paths. */
export interface OpenApiPart {
  /** By path (`/sessions/{id}`) and method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>
  /** Schemas that the paths refer to as `#/components/schemas/<name>`. */
  readonly schemas?: Readonly<Record<string, OpenApiSchema>> | undefined
}
