import { describeRoutes, schemaRef, type OpenApiPart, type RouteDescription } from '@cool-ai/beach-core/openapi'
import { approvalPagePath } from './approval-page.ts'
import { pressPagePath } from './press-page.ts'

const page = { description: 'A page.', type: 'text/html' }
/** The request itself may be refused, before there is a page. */
const refusal = { description: 'A page, or an error.', type: 'text/html', json: schemaRef('Error') }
const form = { bodyType: 'application/x-www-form-urlencoded', body: { type: 'object' } }
const route = (summary: string): RouteDescription => ({
  summary,
  access: 'signed',
  answers: { 200: page },
  errors: refusal,
})

/** The pages behind links of mails in an agent's OpenAPI document. */
export function mailOpenApi(): OpenApiPart {
  return describeRoutes('Email', {
    [`GET ${approvalPagePath}`]: route('The page behind the link of an approval request'),
    [`POST ${approvalPagePath}`]: { ...route('Decides the approval'), ...form },
    [`GET ${pressPagePath}`]: route('The page behind a button of a mail'),
    [`POST ${pressPagePath}`]: { ...route('Presses the button, once'), ...form },
  })
}
