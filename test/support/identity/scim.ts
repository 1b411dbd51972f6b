import { expect } from 'chai'
import { setUpOperation } from '../people/given-members.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { Answer, ApiTenant } from '../api.ts'
import { givenBusiness, type SsoServer } from './sso.ts'

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
export const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** A user as a provider sends it. */
export const ADA = {
  schemas: [USER],
  userName: 'Ada@Example.test',
  externalId: 'idp-1',
  name: { givenName: 'Ada', familyName: 'Lovelace', formatted: 'Ada Lovelace' },
  emails: [{ value: 'ada@example.test', type: 'work', primary: true }],
  active: true,
}

/** A tenant whose directory calls with a SCIM token. */
export interface GivenDirectory {
  readonly tenant: ApiTenant
  readonly token: string
  readonly op: Operation
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>
}

/** Gives a tenant, or a new one, a SCIM token. */
export async function givenDirectory(server: SsoServer, tenant?: ApiTenant): Promise<GivenDirectory> {
  const { api, database } = server
  const owner = tenant ?? (await givenBusiness(server))
  const minted = await api.call('POST', '/v1/account/sso/scim-token', { key: owner.key })
  expect(minted.status, minted.text).to.equal(200)
  const token: string = minted.body.scim_token
  return {
    tenant: owner,
    token,
    op: setUpOperation(database.db, owner.id),
    send: async (method, path, body, headers = {}) =>
      await api.call(method, `/scim/v2${path}`, {
        ...(body !== undefined && { raw: JSON.stringify(body) }),
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json', ...headers },
      }),
  }
}

/** Expects an error in the form of RFC 7644. */
export function expectScimError(answer: Answer, status: number, scimType?: string): void {
  expect(answer.status, answer.text).to.equal(status)
  expect(answer.headers.get('content-type')).to.include('application/scim+json')
  expect(answer.body.schemas).to.deep.equal([ERROR])
  expect(answer.body.status).to.equal(String(status))
  if (scimType !== undefined) expect(answer.body.scimType).to.equal(scimType)
}
