import { z } from 'zod'
import { describeScim, withAddresses } from '../../../core/accounts/scim/calls.ts'
import type { ScimQuery } from '../../../core/accounts/scim/list.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { bareDocument } from '../../kernel/reply/answers.ts'
import { Resource, type SearchBody } from '../../../core/accounts/wire/scim.ts'
import type { AccountsServices } from '../services.ts'

/** An answer in the form of SCIM. */
export const scimAnswer = (description: string) => bareDocument(description, Resource)

const AttributeNames = z.string().max(1000).optional()

/** Query parameters of every read. */
export const ViewQuery = z.object({ attributes: AttributeNames, excludedAttributes: AttributeNames })

/** Query parameters of a list. */
export const ListQuery = ViewQuery.extend({
  filter: z.string().max(1000).optional(),
  sortBy: z.string().max(200).optional(),
  sortOrder: z.enum(['ascending', 'descending']).optional(),
  startIndex: z.coerce.number().int().optional().meta({ description: 'At least 1; smaller values count as 1' }),
  count: z.coerce
    .number()
    .int()
    .optional()
    .meta({ description: 'At most 200. Default: 100. 0 returns only the count' }),
})

/** Returns the query that the body of a search describes. */
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

/** Presents a resource, with addresses in place of paths. */
export function present(services: Pick<AccountsServices, 'publicUrl'>, resource: JsonObject): z.input<typeof Resource> {
  return Resource.parse(withAddresses(resource, services.publicUrl()))
}

/** Returns the address of a resource, for the header `Location`. */
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
