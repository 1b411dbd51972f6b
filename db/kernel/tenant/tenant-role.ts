import pg from 'pg'

/** The role of every statement that serves one tenant: row-level policies bind it, while they spare the owner of tables. */
export const TENANT_ROLE = 'svc_tenant'

/** The setting that names the tenant of a transaction. */
export const TENANT_SETTING = 'svc.tenant'

/** Sets the tenant `$1` and the role until the transaction, or the savepoint around it, ends. */
export const ENTER_TENANT = `select set_config('${TENANT_SETTING}', $1, true), set_config('role', '${TENANT_ROLE}', true)`

/** Begins a transaction and sets its tenant and the role, as the text of one message: the server answers it as a whole. */
export function beginAs(begin: 'begin' | 'begin read only', tenantId: string): string {
  return `${begin}; ${ENTER_TENANT.replace('$1', () => pg.escapeLiteral(tenantId))}`
}

/** SQLSTATE of what another process did at the same moment: duplicate_object, unique_violation, internal_error. */
const DONE_BESIDE = /^(42710|23505|XX000)$/

/**
 * Makes the role of tenants when the server lacks it, and lets the login of `client` take it. All databases of a server
 * share the role. Throws an error with the two statements that an administrator has to run when the login may not do it.
 */
export async function ensureTenantRole(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ login: string; known: boolean }>(
    'select quote_ident(current_user) as login, exists (select 1 from pg_roles where rolname = $1) as known',
    [TENANT_ROLE],
  )
  const [{ login, known } = { login: 'current_user', known: false }] = rows
  const statements = [`create role ${TENANT_ROLE} nologin`, `grant ${TENANT_ROLE} to ${login}`] as const
  if (known && (await mayTake(client))) return
  try {
    if (!known) await runBeside(client, statements[0])
    if (!(await mayTake(client))) await runBeside(client, statements[1])
  } catch (cause) {
    throw refusal(login, statements, cause)
  }
  if (!(await mayTake(client))) throw refusal(login, statements, undefined)
}

function refusal(login: string, statements: readonly string[], cause: unknown): Error {
  const shown = statements.map((statement) => `  ${statement};`).join('\n')
  return new Error(
    `The database login ${login} may not create the role ${TENANT_ROLE}. Run these as an administrator, then start again:\n${shown}`,
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
