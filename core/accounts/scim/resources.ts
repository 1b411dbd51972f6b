import SCIMMY from 'scimmy'
import { KERNEL_ERRORS } from '../../kernel/errors.ts'
import { contextOf } from './context.ts'
import { readGroup, writeGroup } from './group.ts'
import { readUser, SCIM_PATH, writeUser } from './user.ts'

/** Resources on one page. */
export const MAX_RESULTS = 200

// Attributes that are not stored are not announced either.
for (const attribute of ['ims', 'photos', 'entitlements', 'roles', 'x509Certificates', 'password']) {
  SCIMMY.Schemas.User.truncate(attribute)
}

SCIMMY.Resources.declare(SCIMMY.Resources.User, {
  basepath: SCIM_PATH,
  extensions: [{ schema: SCIMMY.Schemas.EnterpriseUser, required: false }],
  ingress: async ({ id }: { id?: string }, instance: unknown, given: unknown) => {
    const context = contextOf(given)
    return await context.keep(async () => {
      const input = readUser(instance, context)
      const { directory } = context
      return writeUser(id === undefined ? await directory.createUser(input) : await directory.updateUser(id, input))
    })
  },
  egress: async ({ id }: { id?: string }, given: unknown) => {
    const context = contextOf(given)
    return await context.keep(async () => {
      if (id !== undefined) return writeUser(found(await context.directory.findUser(id)))
      return context.listed
    })
  },
  degress: async ({ id }: { id?: string }, given: unknown) => {
    const context = contextOf(given)
    await context.keep(async () => await context.directory.removeUser(id ?? ''))
  },
})

SCIMMY.Resources.declare(SCIMMY.Resources.Group, {
  basepath: SCIM_PATH,
  ingress: async ({ id }: { id?: string }, instance: unknown, given: unknown) => {
    const context = contextOf(given)
    return await context.keep(async () => {
      const input = readGroup(instance)
      const { directory } = context
      return writeGroup(id === undefined ? await directory.createGroup(input) : await directory.updateGroup(id, input))
    })
  },
  egress: async ({ id }: { id?: string }, given: unknown) => {
    const context = contextOf(given)
    return await context.keep(async () => {
      if (id !== undefined) return writeGroup(found(await context.directory.findGroup(id)))
      return context.listed
    })
  },
  degress: async ({ id }: { id?: string }, given: unknown) => {
    const context = contextOf(given)
    await context.keep(async () => await context.directory.removeGroup(id ?? ''))
  },
})

SCIMMY.Resources.Schema.basepath(SCIM_PATH)
SCIMMY.Resources.ResourceType.basepath(SCIM_PATH)
SCIMMY.Resources.ServiceProviderConfig.basepath(SCIM_PATH)
SCIMMY.Config.set({
  patch: true,
  filter: MAX_RESULTS,
  sort: true,
  bulk: false,
  etag: false,
  changePassword: false,
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'The SCIM token of the organisation, as a bearer token',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
})

/** The kinds of resources, by their endpoints. */
export const SCIM_RESOURCES = { Users: SCIMMY.Resources.User, Groups: SCIMMY.Resources.Group } as const
/** One of them. */
export type ScimEndpoint = keyof typeof SCIM_RESOURCES

function found<T>(resource: T | null): T {
  if (resource !== null) return resource
  throw KERNEL_ERRORS.not_found('no such resource')
}
