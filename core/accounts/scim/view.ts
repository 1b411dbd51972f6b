import { ACCOUNTS_ERRORS } from '../errors.ts'
import type { JsonObject } from '../../kernel/json/json.ts'
import { refuseScim } from './refusal.ts'
import { SCIM_RESOURCES, type ScimEndpoint } from './resources.ts'
import { requireSafeName } from './safe-input.ts'

/** The attributes that a caller asks for. */
export interface ScimView {
  readonly attributes?: string | undefined
  readonly excludedAttributes?: string | undefined
}

/** A view that may be handed to the library. Throws `invalid_value`. */
export function readView({ attributes, excludedAttributes }: ScimView) {
  return {
    ...(attributes !== undefined && { attributes: readNames(attributes) }),
    ...(excludedAttributes !== undefined && { excludedAttributes: readNames(excludedAttributes) }),
  }
}

/** The library turns the names into a filter, so they must not contain filter syntax. */
function readNames(list: string): string {
  requireSafeName(list, 'invalidValue')
  if (/^\s*[a-z$][\w.:$-]*\s*(?:,\s*[a-z$][\w.:$-]*\s*)*$/i.test(list)) return list
  throw refuseScim(
    ACCOUNTS_ERRORS.invalid_value,
    'invalidValue',
    'attributes and excludedAttributes are names with commas between them',
  )
}

/** A view by attributes omits attributes that every representation must name (RFC 7643, 3). */
export function named(endpoint: ScimEndpoint, resource: JsonObject): JsonObject {
  return 'schemas' in resource ? resource : { schemas: [SCIM_RESOURCES[endpoint].schema.definition.id], ...resource }
}
