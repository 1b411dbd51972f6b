import { DOCUMENTS } from '../../kernel/guard/public-limits.ts'
import { z } from 'zod'
import { describeOne } from '../../../core/accounts/scim/calls.ts'
import { defineRoute } from '../services.ts'
import { SCIM_ERRORS } from './scim-errors.ts'
import { present, presentDescription, scimAnswer } from './answers.ts'

/** The declaration that the documents share. They are public, since they hold no data of a tenant. */
const documents = { method: 'get', group: 'scim', auth: 'public', scope: undefined, errorShape: SCIM_ERRORS } as const

export const getScimConfigRoute = defineRoute({
  ...documents,
  path: '/scim/v2/ServiceProviderConfig',
  limit: DOCUMENTS,
  keptForS: 60,
  operationId: 'getScimServiceProviderConfig',
  summary: 'Show the features of this SCIM service',
  answers: { 200: scimAnswer('The ServiceProviderConfig') },
}).handle(async ({ services }) => ({
  status: 200,
  body: await presentDescription(services, 'ServiceProviderConfig'),
}))

export const listScimResourceTypesRoute = defineRoute({
  ...documents,
  path: '/scim/v2/ResourceTypes',
  limit: DOCUMENTS,
  keptForS: 60,
  operationId: 'listScimResourceTypes',
  summary: 'List the SCIM resource types',
  answers: { 200: scimAnswer('A ListResponse of ResourceTypes') },
}).handle(async ({ services }) => ({ status: 200, body: await presentDescription(services, 'ResourceTypes') }))

export const listScimSchemasRoute = defineRoute({
  ...documents,
  path: '/scim/v2/Schemas',
  limit: DOCUMENTS,
  keptForS: 60,
  operationId: 'listScimSchemas',
  summary: 'List the SCIM schemas',
  answers: { 200: scimAnswer('A ListResponse of Schemas') },
}).handle(async ({ services }) => ({ status: 200, body: await presentDescription(services, 'Schemas') }))

export const getScimResourceTypeRoute = defineRoute({
  ...documents,
  path: '/scim/v2/ResourceTypes/{name}',
  limit: DOCUMENTS,
  operationId: 'getScimResourceType',
  summary: 'Show a SCIM resource type',
  params: z.object({ name: z.string().max(200).meta({ example: 'Robot' }) }),
  answers: { 200: scimAnswer('The ResourceType') },
  errors: ['not_found'],
}).handle(async ({ services, params }) => ({
  status: 200,
  body: present(services, await describeOne('ResourceTypes', params.name)),
}))

export const getScimSchemaRoute = defineRoute({
  ...documents,
  path: '/scim/v2/Schemas/{urn}',
  limit: DOCUMENTS,
  operationId: 'getScimSchema',
  summary: 'Show a SCIM schema',
  params: z.object({ urn: z.string().max(200).meta({ example: 'urn:ietf:params:scim:schemas:core:2.0:Robot' }) }),
  answers: { 200: scimAnswer('The Schema') },
  errors: ['not_found'],
}).handle(async ({ services, params }) => ({
  status: 200,
  body: present(services, await describeOne('Schemas', params.urn)),
}))
