export {
  describeRoutes,
  schemaRef,
  type AnswerDescription,
  type RouteAccess,
  type RouteDescription,
} from './describe-routes.ts'
export type { JsonObject, OpenApiPart, OpenApiSchema } from './openapi.ts'
