import { sql } from 'kysely'
import type { TenantAccess } from '../../../kernel/operation.ts'

/** A reference that has not expired. */
export interface FoundReference {
  readonly key: Uint8Array
  /** See `ResponseReferenceEntity`. */
  readonly responseKey: Uint8Array | null
  readonly provider: string | null
  readonly namespace: string
  readonly turns: number
  readonly sizeBytes: number
  /** Bytes that its conversation counts, up to it. */
  readonly conversationBytes: number
}

/** An earlier turn of a conversation. */
export type EarlierTurn = Pick<FoundReference, 'key' | 'turns' | 'sizeBytes'>

/** Returns those of some references that the tenant received, within the namespaces that it is read for, and their responses. */
export async function findReferences(
  tenant: TenantAccess,
  keys: readonly Uint8Array[],
  now: Date,
): Promise<readonly FoundReference[]> {
  const found = await findByKeys(tenant, keys, now)
  const known = new Set(found.map(({ key }) => hex(key)))
  // Two searches by the primary key: with one condition that has both, Postgres reads all rows of the tenant.
  const responses = new Map(
    found.flatMap(({ responseKey }) =>
      responseKey === null || known.has(hex(responseKey)) ? [] : [[hex(responseKey), responseKey] as const],
    ),
  )
  return [...found, ...(await findByKeys(tenant, [...responses.values()], now))]
}

async function findByKeys(
  tenant: TenantAccess,
  keys: readonly Uint8Array[],
  now: Date,
): Promise<readonly FoundReference[]> {
  if (keys.length === 0) return []
  return await tenant.read((q) =>
    q
      .selectFrom('response_references as found')
      .innerJoin('response_references as root', (on) =>
        on
          .onRef('root.tenant_id', '=', 'found.tenant_id')
          .on((of) => of('root.key', '=', of.fn.coalesce('found.root_key', 'found.key'))),
      )
      .select([
        'found.key',
        'found.response_key as responseKey',
        'found.provider',
        'found.namespace',
        'found.turns',
        'found.size_bytes as sizeBytes',
      ])
      .select((of) => of('found.bytes_before', '+', of.ref('found.size_bytes')).as('conversationBytes'))
      .where('found.tenant_id', '=', tenant.tenantId)
      .where(sql<boolean>`found.key = any(${[...keys]}::bytea[])`)
      .where('found.is_deleted', '=', false)
      .where('root.expires_at', '>', now),
  )
}

/**
 * Finds the turns before some responses, each once, the last turns first: deleted ones too, since later ones need them. Their number
 * is bounded by `conversationBytes` of the responses, which the caller has checked.
 */
export async function findEarlierTurns(
  tenant: TenantAccess,
  keys: readonly Uint8Array[],
): Promise<readonly EarlierTurn[]> {
  const { tenantId } = tenant
  return await tenant.read((q) =>
    q
      .withRecursive('earlier(key)', (within) =>
        within
          .selectFrom('response_references as named')
          .select((of) => of.ref('named.parent_key').$notNull().as('key'))
          .where('named.tenant_id', '=', tenantId)
          .where(sql<boolean>`named.key = any(${[...keys]}::bytea[])`)
          .where('named.parent_key', 'is not', null)
          .union(
            within
              .selectFrom('earlier')
              .innerJoin('response_references as turn', 'turn.key', 'earlier.key')
              .select((of) => of.ref('turn.parent_key').$notNull().as('key'))
              .where('turn.tenant_id', '=', tenantId)
              .where('turn.parent_key', 'is not', null),
          ),
      )
      .selectFrom('earlier')
      .innerJoin('response_references as turn', 'turn.key', 'earlier.key')
      .select(['turn.key', 'turn.turns', 'turn.size_bytes as sizeBytes'])
      .where('turn.tenant_id', '=', tenantId)
      .orderBy('turn.turns', 'desc'),
  )
}

/** A reference with what is sealed of it. */
export interface SealedReference {
  readonly key: Uint8Array
  readonly content: Uint8Array
}

/** Reads what is sealed of some references, in their order: at most `mostBytes` at once, or one. Those without content are left out. */
export async function* readSealed(
  tenant: TenantAccess,
  references: readonly Pick<FoundReference, 'key' | 'sizeBytes'>[],
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
  const contents = new Map(rows.map(({ key, content }) => [hex(key), content] as const))
  return keys.flatMap((key) => {
    const content = contents.get(hex(key)) ?? null
    return content === null ? [] : [{ key, content }]
  })
}

function hex(key: Uint8Array): string {
  return Buffer.from(key).toString('hex')
}
