import { z } from 'zod'
import { describeScim, withAddresses } from '../../../core/accounts/scim/calls.ts'
import type { ScimQuery } from '../../../core/accounts/scim/list.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { bareDocument } from '../../kernel/reply/answers.ts'
import type { AccountsServices } from '../services.ts'

/** Any resource or message of SCIM; the schemas that it names say what is in it. */
const Resource = z.looseObject({ schemas: z.array(z.string()) })

/** An answer in the form of SCIM. */
export const scimAnswer = (description: string) => bareDocument(description, Resource)

/** A body of SCIM. What it must hold depends on the kind of resource, and is checked there. */
export const ScimBody = z
  .custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: 'must be an object',
  })
  .meta({ description: 'A resource or message of RFC 7643 and RFC 7644', override: { type: 'object' } })

const AttributeNames = z.string().max(1000).optional()

/** What every reading call may ask for. */
export const ViewQuery = z.object({ attributes: AttributeNames, excludedAttributes: AttributeNames })

/** What a list may be asked for. */
export const ListQuery = ViewQuery.extend({
  filter: z.string().max(1000).optional(),
  sortBy: z.string().max(200).optional(),
  sortOrder: z.enum(['ascending', 'descending']).optional(),
  startIndex: z.coerce.number().int().optional().meta({ description: 'From 1; smaller ones count as 1' }),
  count: z.coerce.number().int().optional().meta({ description: 'At most 200; 100 when absent; 0 only counts' }),
})

const Names = z.array(z.string().min(1).max(200)).max(100).optional()

/** The same as the body of a search (RFC 7644, 3.4.3). */
export const SearchBody = z
  .object({
    schemas: z.tuple([z.literal('urn:ietf:params:scim:api:messages:2.0:SearchRequest')]),
    attributes: Names,
    excludedAttributes: Names,
    filter: z.string().max(1000).optional(),
    sortBy: z.string().max(200).optional(),
    sortOrder: z.enum(['ascending', 'descending']).optional(),
    startIndex: z.number().int().optional(),
    count: z.number().int().optional(),
  })
  .meta({ example: { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'] } })

/** The query that a search's body stands for. */
export function queryOf({
  attributes,
  excludedAttributes,
  schemas: _schemas,
  ...rest
}: z.output<typeof SearchBody>): ScimQuery {
  return {
    ...rest,
    ...(attributes !== undefined && attributes.length > 0 && { attributes: attributes.join(',') }),
    ...(excludedAttributes !== undefined &&
      excludedAttributes.length > 0 && { excludedAttributes: excludedAttributes.join(',') }),
  }
}

/** A resource as it leaves: with addresses in place of paths. */
export function present(services: Pick<AccountsServices, 'publicUrl'>, resource: JsonObject): z.input<typeof Resource> {
  return Resource.parse(withAddresses(resource, services.publicUrl()))
}

/** Where a resource is, for the header. */
export function locationOf(resource: z.input<typeof Resource>): string {
  const { location } = z.looseObject({ location: z.string() }).parse(resource['meta'])
  return location
}

/** One of the documents that say what the service can do. */
export async function presentDescription(
  services: Pick<AccountsServices, 'publicUrl'>,
  what: Parameters<typeof describeScim>[0],
): Promise<z.input<typeof Resource>> {
  return present(services, await describeScim(what))
}
