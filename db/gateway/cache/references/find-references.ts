import { sql } from 'kysely'
import type { TenantAccess } from '../../../kernel/operation.ts'

/** A reference that has not expired. */
export interface FoundReference {
  readonly key: Uint8Array
  /** See `ResponseReferenceEntity`. */
  readonly responseKey: Uint8Array | null
  readonly provider: string | null
  readonly sizeBytes: number
}

/** Returns those of some references that the tenant received, within the namespaces that it is read for, and their responses. */
export async function findReferences(
  tenant: TenantAccess,
  keys: readonly Buffer[],
  now: Date,
): Promise<readonly FoundReference[]> {
  if (keys.length === 0) return []
  const named = sql<boolean>`key = any(${[...keys]}::bytea[])`
  return await tenant.read((q) =>
    q
      .selectFrom('response_references')
      .select(['key', 'response_key as responseKey', 'provider', 'size_bytes as sizeBytes'])
      .where('tenant_id', '=', tenant.tenantId)
      .where((of) =>
        of.or([
          named,
          of(
            'key',
            'in',
            of
              .selectFrom('response_references')
              .select((item) => item.ref('response_key').$notNull().as('key'))
              .where('tenant_id', '=', tenant.tenantId)
              .where('response_key', 'is not', null)
              .where(named),
          ),
        ]),
      )
      .where('expires_at', '>', now),
  )
}

/** A reference with what is sealed of it. */
export interface SealedReference {
  readonly key: Uint8Array
  readonly content: Uint8Array
}

/** Reads what is sealed of some references: at most `mostBytes` at once, or one. Those without content are left out. */
export async function* readSealed(
  tenant: TenantAccess,
  references: readonly FoundReference[],
  mostBytes: number,
): AsyncGenerator<SealedReference> {
  let keys: Uint8Array[] = []
  let bytes = 0
  for (const { key, sizeBytes } of references) {
    if (keys.length > 0 && bytes + sizeBytes > mostBytes) {
      yield* await readContents(tenant, keys)
      keys = []
      bytes = 0
    }
    keys.push(key)
    bytes += sizeBytes
  }
  if (keys.length > 0) yield* await readContents(tenant, keys)
}

async function readContents(tenant: TenantAccess, keys: readonly Uint8Array[]): Promise<readonly SealedReference[]> {
  const rows = await tenant.read((q) =>
    q
      .selectFrom('response_references')
      .select(['key', 'content'])
      .where('tenant_id', '=', tenant.tenantId)
      .where(sql<boolean>`key = any(${[...keys]}::bytea[])`)
      .where('content', 'is not', null),
  )
  return rows.flatMap(({ key, content }) => (content === null ? [] : [{ key, content }]))
}
