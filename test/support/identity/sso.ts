import { givenPlan } from '../people/given-members.ts'
import {
  givenApiTenant,
  NO_TEMPORAL,
  useApi,
  type Answer,
  type ApiTenant,
  type TestApi,
  type TestApiOptions,
} from '../api.ts'
import { useDatabase, type TestDatabase } from '../stack/postgres.ts'
import type { SamlIdp, AssertionWishes, SamlRequest } from './saml-idp.ts'

/** A server and the database under it. */
export interface SsoServer {
  readonly api: TestApi
  readonly database: TestDatabase
}

/** The routes of a server alone. */
export interface SsoCaller {
  readonly api: Pick<TestApi, 'call'>
}

/** Starts a server over a database that the test can look into. */
export function useSsoServer(options: TestApiOptions = {}): SsoServer {
  const database = useDatabase()
  const api = useApi({ ...options, stores: () => ({ database, temporal: NO_TEMPORAL }) })
  return { api, database }
}

/** A tenant on a plan that has SSO. */
export async function givenBusiness({ api, database }: SsoServer): Promise<ApiTenant> {
  const tenant = await givenApiTenant(api)
  await givenPlan(database.db, tenant.id, 'business')
  return tenant
}

/** Points a tenant to an identity provider. */
export async function configureSaml(
  { api }: SsoCaller,
  tenant: ApiTenant,
  idp: SamlIdp,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const answer = await api.call('POST', '/v1/account/sso/configure', {
    key: tenant.key,
    body: { metadata_xml: idp.metadata(), ...more },
  })
  if (answer.status !== 200) throw new Error(`configure answered ${answer.status}: ${answer.text}`)
}

/** A browser that was sent to the identity provider. */
export interface SamlDeparture {
  readonly request: SamlRequest
  /** The cookie that it took along. */
  readonly cookie: string
}

/** Starts a sign-in as a browser does. */
export async function departToSaml(
  { api }: SsoCaller,
  tenant: ApiTenant,
  idp: SamlIdp,
  redirect?: string,
): Promise<SamlDeparture> {
  const query = redirect === undefined ? '' : `?redirect=${encodeURIComponent(redirect)}`
  const answer = await api.call('GET', `/v1/sso/${tenant.id}/start${query}`)
  if (answer.status !== 302) throw new Error(`start answered ${answer.status}: ${answer.text}`)
  return { request: idp.readRequest(answer.headers.get('location') ?? ''), cookie: cookieOf(answer, 'svc_sso') }
}

/** Posts a response as a browser does. */
export async function postResponse(
  { api }: SsoCaller,
  response: string,
  options: { readonly cookie?: string; readonly relayState?: string; readonly headers?: Record<string, string> } = {},
): Promise<Answer> {
  const form = new URLSearchParams({ SAMLResponse: response })
  if (options.relayState !== undefined) form.set('RelayState', options.relayState)
  return await api.call('POST', '/v1/account/saml/acs', {
    raw: form.toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'https://idp.example.test',
      'sec-fetch-site': 'cross-site',
      ...(options.cookie !== undefined && { cookie: options.cookie }),
      ...options.headers,
    },
  })
}

/** A whole sign-in: there, and back with what the provider says. */
export async function signInBySaml(
  server: SsoCaller,
  tenant: ApiTenant,
  idp: SamlIdp,
  wishes: AssertionWishes = {},
): Promise<Answer> {
  const { request, cookie } = await departToSaml(server, tenant, idp)
  return await postResponse(server, idp.answer(request, wishes), { cookie })
}

/** `name=value` of a cookie that an answer sets; empty when it sets none or removes it. */
export function cookieOf(answer: Answer, name: string): string {
  const found = answer.headers.getSetCookie().find((line) => line.startsWith(`${name}=`))
  const [pair = ''] = (found ?? '').split(';')
  return pair === `${name}=` ? '' : pair
}
