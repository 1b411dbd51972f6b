import type { Route } from '../services.ts'
import {
  getScimConfigRoute,
  getScimResourceTypeRoute,
  getScimSchemaRoute,
  listScimResourceTypesRoute,
  listScimSchemasRoute,
} from './discovery.ts'
import { resourceRoutes } from './resources.ts'

/** SCIM 2.0 (RFC 7643, RFC 7644): the identity provider of an organisation keeps its members and groups. */
export const SCIM_ROUTES: readonly Route[] = [
  getScimConfigRoute,
  listScimResourceTypesRoute,
  listScimSchemasRoute,
  getScimResourceTypeRoute,
  getScimSchemaRoute,
  ...resourceRoutes('Users', { one: 'a user', many: 'users', example: 'mbr_0000000000000000000000000z' }),
  ...resourceRoutes('Groups', { one: 'a group', many: 'groups', example: 'team_0000000000000000000000000z' }),
]
