import { z } from 'zod'
import type { JsonObject } from '../../kernel/json/json.ts'

/** Any SCIM resource or message; the schemas that it names define its content. */
export const Resource = z.looseObject({ schemas: z.array(z.string()) })

/** A SCIM body. Its required fields depend on the resource type and are checked there. */
export const ScimBody = z
  .custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: 'must be an object',
  })
  .meta({ description: 'A resource or message of RFC 7643 and RFC 7644', override: { type: 'object' } })

const Names = z.array(z.string().min(1).max(200)).max(100).optional()

/** The same as the body of a search (RFC 7644, 3.4.3). */
export const SearchBody = z
  .object({
    schemas: z.array(z.literal('urn:ietf:params:scim:api:messages:2.0:SearchRequest')).length(1),
    attributes: Names,
    excludedAttributes: Names,
    filter: z.string().max(1000).optional(),
    sortBy: z.string().max(200).optional(),
    sortOrder: z.enum(['ascending', 'descending']).optional(),
    startIndex: z.number().int().optional(),
    count: z.number().int().optional(),
  })
  .meta({ example: { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'] } })

/** Body of a change of a resource of SCIM (RFC 7644, 3.5.2). */
export const ScimPatchBody = ScimBody.meta({
  example: {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', path: 'displayName', value: 'Name' }],
  },
})
