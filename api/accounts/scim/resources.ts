import { z } from 'zod'
import {
  createResource,
  patchResource,
  readResource,
  removeResource,
  replaceResource,
} from '../../../core/accounts/scim/calls.ts'
import type { ScimDirectory } from '../../../core/accounts/scim/directory.ts'
import { listResources } from '../../../core/accounts/scim/list.ts'
import type { ScimEndpoint } from '../../../core/accounts/scim/resources.ts'
import { inDirectory } from '../../../db/accounts/scim/in-directory.ts'
import { forgetCredential } from '../../kernel/guard/forget.ts'
import { rawAnswer } from '../../kernel/reply/answers.ts'
import { SCIM_ERRORS } from './scim-errors.ts'
import { ListQuery, locationOf, present, queryOf, scimAnswer, ViewQuery } from './answers.ts'
import { ScimBody, SearchBody, ScimPatchBody } from '../../../core/accounts/wire/scim.ts'
import { defineRoute, type Call, type Route } from '../services.ts'

type ScimCall = Pick<Call<'scim', unknown, unknown, unknown>, 'services' | 'principal' | 'op'>

/** Runs a call on the tenant's people and groups. What ended with it is forgotten here before the answer leaves. */
async function inTenant<T>(
  { services, principal, op }: ScimCall,
  isWrite: boolean,
  work: (directory: ScimDirectory) => Promise<T>,
): Promise<T> {
  const call = { plan: principal.plan, limits: services.limits, isWrite }
  const { result, ended } = await inDirectory(op, call, work)
  for (const id of ended) forgetCredential(services, id)
  return result
}

/** The routes of one kind of resource; `one` and `many` are its names in summaries. */
export function resourceRoutes(
  endpoint: ScimEndpoint,
  { one, many, example }: { readonly one: string; readonly many: string; readonly example: string },
): readonly Route[] {
  const kind = endpoint.slice(0, -1)
  const shared = { group: 'scim', auth: 'scim', scope: undefined, errorShape: SCIM_ERRORS } as const
  const path = `/scim/v2/${endpoint}` as const
  const params = z.object({ id: z.string().max(100).meta({ example }) })
  const refusals = ['enterprise_only', 'forbidden', 'invalid_value'] as const
  const changes = [...refusals, 'duplicate', 'seat_limit', 'limit_reached', 'not_found'] as const

  return [
    defineRoute({
      ...shared,
      method: 'get',
      path,
      operationId: `listScim${endpoint}`,
      summary: `List ${many}`,
      query: ListQuery,
      answers: { 200: scimAnswer('A ListResponse') },
      errors: refusals,
    }).handle(async (call) => {
      const found = await inTenant(
        call,
        false,
        async (directory) => await listResources(directory, endpoint, call.query),
      )
      return { status: 200, body: present(call.services, found) }
    }),

    defineRoute({
      ...shared,
      method: 'post',
      stores: 'bounded',
      path: `${path}/.search`,
      operationId: `searchScim${endpoint}`,
      summary: `Search ${many}`,
      body: SearchBody,
      answers: { 200: scimAnswer('A ListResponse') },
      errors: refusals,
    }).handle(async (call) => {
      const query = queryOf(call.body)
      const found = await inTenant(call, false, async (directory) => await listResources(directory, endpoint, query))
      return { status: 200, body: present(call.services, found) }
    }),

    defineRoute({
      ...shared,
      method: 'post',
      stores: 'bounded',
      path,
      operationId: `createScim${kind}`,
      summary: `Create ${one}`,
      body: ScimBody,
      answers: { 201: scimAnswer('What was made') },
      errors: changes,
    }).handle(async (call) => {
      const made = await inTenant(call, true, async (directory) => await createResource(directory, endpoint, call.body))
      const body = present(call.services, made)
      return { status: 201, body, headers: { Location: locationOf(body) } }
    }),

    defineRoute({
      ...shared,
      method: 'get',
      path: `${path}/{id}`,
      operationId: `getScim${kind}`,
      summary: `Read ${one}`,
      params,
      query: ViewQuery,
      answers: { 200: scimAnswer('The resource') },
      errors: [...refusals, 'not_found'],
    }).handle(async (call) => {
      const wanted = { ...call.query, id: call.params.id }
      const found = await inTenant(call, false, async (directory) => await readResource(directory, endpoint, wanted))
      return { status: 200, body: present(call.services, found) }
    }),

    defineRoute({
      ...shared,
      method: 'put',
      stores: 'bounded',
      path: `${path}/{id}`,
      operationId: `replaceScim${kind}`,
      summary: `Replace ${one}`,
      params,
      body: ScimBody,
      answers: { 200: scimAnswer('What it is now') },
      errors: changes,
    }).handle(async (call) => {
      const wanted = { id: call.params.id, body: call.body }
      const now = await inTenant(call, true, async (directory) => await replaceResource(directory, endpoint, wanted))
      return { status: 200, body: present(call.services, now) }
    }),

    defineRoute({
      ...shared,
      method: 'patch',
      stores: 'bounded',
      path: `${path}/{id}`,
      operationId: `patchScim${kind}`,
      summary: `Change parts of ${one}`,
      params,
      body: ScimPatchBody,
      answers: { 200: scimAnswer('What it is now') },
      errors: changes,
    }).handle(async (call) => {
      const wanted = { id: call.params.id, body: call.body }
      const now = await inTenant(call, true, async (directory) => await patchResource(directory, endpoint, wanted))
      return { status: 200, body: present(call.services, now) }
    }),

    defineRoute({
      ...shared,
      method: 'delete',
      path: `${path}/{id}`,
      operationId: `deleteScim${kind}`,
      summary: `Delete ${one}`,
      params,
      answers: { 204: rawAnswer('It is gone', 'application/scim+json') },
      errors: [...refusals, 'not_found'],
    }).handle(async (call) => {
      await inTenant(call, true, async (directory) => await removeResource(directory, endpoint, call.params.id))
      return { status: 204, raw: { kind: 'empty' } }
    }),
  ]
}
