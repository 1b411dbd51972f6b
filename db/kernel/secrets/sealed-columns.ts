import type { SecretScope } from './secret-box.ts'

/** A column of sealed secrets: where it is, and what each of them is bound to. */
export interface SealedColumn {
  readonly table: string
  /** SQL of the one text that names the row. */
  readonly key: string
  readonly column: string
  /** SQL of the owner that the seal names. */
  readonly owner: string
  /** SQL of the id that the seal names. */
  readonly id: string
  /** SQL of what it is for. */
  readonly purpose: string
  /** True when its rows go within a day: they are not sealed again, the old key stays for as long as they do. */
  readonly isPassing?: true
}

/** Every column that holds sealed secrets. A test compares it with the schema: no column may be called sealed and be missing. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  ownedBy('service', { table: 'service_secrets', key: 'id', column: 'sealed_secret', purpose: 'purpose' }),
  ownedBy('service', { table: 'signing_keys', key: 'kid', column: 'sealed_private_key', purpose: `'signing'` }),
  ownedBy('tenant', { table: 'receipt_secrets', key: 'id', column: 'sealed_secret', purpose: `'receipt'` }),
  {
    ...ownedBy('tenant', { table: 'provider_keys', key: 'id', column: 'sealed_value', purpose: `'provider'` }),
    id: `id || '|' || provider`,
  },
  ownedBy('tenant', { table: 'sso_configs', key: 'tenant_id', column: 'sealed_client_secret', purpose: `'identity'` }),
  ownedBy('tenant', { table: 'mails', key: 'id', column: 'sealed_params', purpose: `'mail'` }),
  {
    ...ownedBy('tenant', {
      table: 'idempotency_keys',
      key: 'claim_token::text',
      column: 'sealed_answer',
      purpose: `'answer'`,
    }),
    isPassing: true,
  },
  ownedBy('tenant', { table: 'login_attempts', key: 'id', column: 'sealed', purpose: `'login'` }),
]

function ownedBy(
  owner: 'service' | 'tenant',
  column: Pick<SealedColumn, 'table' | 'key' | 'column' | 'purpose'>,
): SealedColumn {
  return { ...column, id: column.key, owner: owner === 'service' ? `'service'` : `coalesce(tenant_id, 'service')` }
}

/** One sealed secret, as a column's SQL reads it. */
export interface SealedRow extends SecretScope {
  readonly key: string
  readonly sealed: Uint8Array
}
