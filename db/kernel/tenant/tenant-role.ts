import type pg from 'pg'
import { rememberPlan } from '../queries/prepared.ts'

/**
 * The role of every statement that serves one tenant: row-level policies bind it, while the owner of tables is exempt.
 */
export const TENANT_ROLE = 'svc_tenant'

/** The setting that names the tenant of a transaction. */
export const TENANT_SETTING = 'svc.tenant'

/** The setting that lists the namespaces of a transaction, parted by commas; empty for all of them. */
export const NAMESPACES_SETTING = 'svc.namespaces'

/** The rows that the statements of a transaction reach. */
export interface Reach {
  readonly tenantId: string
  /** The namespaces that the caller's key is bound to; null for all. */
  readonly bounds: readonly string[] | null
}

/** Sets the tenant `$1`, the namespaces `$2` and the role until the transaction, or the savepoint around it, ends. */
export const ENTER_TENANT = `select set_config('${TENANT_SETTING}', $1, true), set_config('${NAMESPACES_SETTING}', $2, true),
  set_config('role', '${TENANT_ROLE}', true)`
rememberPlan(ENTER_TENANT)

/** Returns the values of `ENTER_TENANT`. */
function valuesOf({ tenantId, bounds }: Reach): readonly [tenantId: string, namespaces: string] {
  return [tenantId, namespacesText(bounds)]
}

/** Returns the statement that sets a reach. */
export function enterAs(reach: Reach): { readonly text: string; readonly values: readonly string[] } {
  return { text: ENTER_TENANT, values: valuesOf(reach) }
}

/** Returns namespaces as the setting holds them: slugs, which contain no comma. */
export function namespacesText(bounds: readonly string[] | null): string {
  return bounds?.join(',') ?? ''
}

/** The login may not make or take the role of tenants. The message holds the statements for an administrator. */
export class TenantRoleRefused extends Error {}

/** SQLSTATEs of a concurrent change by another process: duplicate_object, unique_violation, internal_error. */
const DONE_BESIDE = /^(42710|23505|XX000)$/

/**
 * Makes the role of tenants when the server lacks it, and lets the login of `client` take it. All databases of a server
 * share the role. Throws `TenantRoleRefused` when the login may not do it.
 */
export async function ensureTenantRole(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ login: string; known: boolean }>(
    'select quote_ident(current_user) as login, exists (select 1 from pg_roles where rolname = $1) as known',
    [TENANT_ROLE],
  )
  const [{ login, known } = { login: 'current_user', known: false }] = rows
  const create = `create role ${TENANT_ROLE} nologin`
  const grant = `grant ${TENANT_ROLE} to ${login}`
  const missing = known ? [grant] : [create, grant]
  if (known && (await mayTake(client))) return
  try {
    if (!known) await runBeside(client, create)
    if (!(await mayTake(client))) await runBeside(client, grant)
  } catch (cause) {
    throw refusal(login, missing, cause)
  }
  if (!(await mayTake(client))) throw refusal(login, missing, undefined)
}

function refusal(login: string, statements: readonly string[], cause: unknown): TenantRoleRefused {
  const shown = statements.map((statement) => `  ${statement};`).join('\n')
  return new TenantRoleRefused(
    `The database login ${login} may not create or use the role ${TENANT_ROLE}. Start goes on after an administrator has run:\n${shown}`,
    { cause },
  )
}

async function mayTake(client: pg.ClientBase): Promise<boolean> {
  try {
    await client.query(`begin; set local role ${TENANT_ROLE}`)
    return true
  } catch {
    return false
  } finally {
    await client.query('rollback')
  }
}

async function runBeside(client: pg.ClientBase, statement: string): Promise<void> {
  try {
    await client.query(statement)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!DONE_BESIDE.test(code)) throw error
  }
}
