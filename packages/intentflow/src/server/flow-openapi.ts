import { describeRoutes, schemaRef, type OpenApiPart, type RouteDescription } from '@cool-ai/beach-core/openapi'

const page = { description: 'A page.', type: 'text/html' }
/** The request itself may be refused, before there is a page. */
const refusal = { description: 'A page, or an error.', type: 'text/html', json: schemaRef('Error') }
const link: RouteDescription = {
  summary: 'The page on which a flow is continued without its application',
  access: 'signed',
  answers: { 200: page },
  errors: refusal,
}

/** The routes of flows in an agent's OpenAPI document. */
export function flowOpenApi(manifestPath: string, linkPath: string): OpenApiPart {
  return describeRoutes('Flows', {
    [`GET ${manifestPath}`]: {
      summary: 'The flows that every user may open',
      access: 'open',
      answers: {
        200: { description: 'The manifest.', json: { type: 'object', required: ['protocol', 'v', 'flows'] } },
      },
    },
    [`GET ${linkPath}`]: link,
    [`POST ${linkPath}`]: {
      ...link,
      summary: 'Sends an event of the flow',
      body: { type: 'object' },
      bodyType: 'application/x-www-form-urlencoded',
      answers: { 303: { description: 'Back to the page.' } },
    },
  })
}
