import { sql } from 'kysely'
import type { NewCapture } from '../../../core/gateway/captures/capture.ts'
import { SIGN_EVERY, signCaptures } from '../../../core/gateway/captures/check-captures.ts'
import { appendCapture, GENESIS_HASH, type CaptureHead } from '../../../core/gateway/captures/digest.ts'
import type { SigningKey } from '../../../core/ledger/keys/signing-key.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import type { Database } from '../../kernel/database.ts'
import { service, type ServiceTransaction } from '../../kernel/queries/service.ts'
import { json, list, notify, unnest } from '../../kernel/queries/typed.ts'
import { addStoredBytes } from '../../kernel/storage/count-stored.ts'
import { insertCaptures, insertContents, type ChainedCapture } from '../captures/writer/insert-rows.ts'
import { certifyStruck, findForgotten, struck } from './strike-forgotten.ts'

/** A capture to commit; a large content is in a blob already. */
export interface ReadyCapture {
  readonly capture: NewCapture
  readonly blobSha256: Sha256 | null
  /** Bytes of the content, which the tenant's storage counts; 0 without one. */
  readonly bytes: number
}

const WHY = 'a group of captures is of many tenants'
const NO_BYTES: ReadonlyMap<string, number> = new Map()

/**
 * Writes a group of captures in one transaction: chained to the ends of their namespaces, whose tenants are locked in the
 * order of their ids. Captures that are stored already change nothing, so a group may be repeated. Captures of tenants whose
 * data was purged are dropped. One that was under way when its tenant forgot something that it holds is stored as forgotten.
 * Returns how many rows are new. With `onCounted` the bytes of contents are added to the counts of their tenants, and it gets
 * these bytes and the new counts after the commit.
 */
export async function commitCaptures(
  db: Database,
  signer: SigningKey,
  group: readonly ReadyCapture[],
  now: Date,
  onCounted?: (stored: ReadonlyMap<string, number>, counts: ReadonlyMap<string, number>) => void,
): Promise<number> {
  if (group.length === 0) return 0
  return await service.write(db, WHY, async (tx) => {
    const tenantIds = [...new Set(group.map(({ capture }) => capture.facts.tenantId))].toSorted()
    const positions = await lockHeads(tx, tenantIds)
    const { fresh, newest } = await withoutKnown(tx, group, positions)
    if (fresh.length === 0) return 0
    const chains = await lockChains(tx, fresh)
    const captures = fresh.map(({ capture }) => capture)
    const forgotten = newest.size === 0 ? null : await findForgotten(tx, db, captures, newest)
    const chained = fresh.map(({ capture, blobSha256, bytes }): ChainedCapture => {
      const { id, tenantId } = capture.facts
      const isForgotten = forgotten?.has(id) === true
      const chain = chainIn(chains, capture)
      const previous = chain.head
      chain.head = appendCapture(previous, capture.facts)
      const position = (positions.get(tenantId) ?? 0) + 1
      positions.set(tenantId, position)
      return {
        capture: isForgotten ? struck(capture) : capture,
        blobSha256,
        inlineBytes: blobSha256 === null && !isForgotten ? bytes : null,
        forgottenAt: isForgotten ? now : null,
        position,
        chainId: chain.id,
        seq: chain.head.count,
        prevHash: previous.hash,
        chainHash: chain.head.hash,
      }
    })
    tx.post(insertCaptures(chained))
    const contents = chained.filter(({ capture }) => capture.content !== null)
    if (contents.length > 0) tx.post(insertContents(contents))
    const bytes = onCounted === undefined ? NO_BYTES : bytesByTenant(contents, group)
    if (bytes.size > 0) {
      const counts = await addStoredBytes(tx, bytes)
      tx.afterCommit(() => onCounted?.(bytes, counts))
    }
    for (const chain of chains.values()) advance(tx, chain, signer, now)
    const erased = chained.filter(({ forgottenAt }) => forgottenAt !== null)
    if (erased.length > 0) await certifyStruck(tx, db, erased, { signer, now })
    const byTenant = Map.groupBy(chained, ({ capture }) => capture.facts.tenantId)
    for (const [tenantId, rows] of byTenant) {
      const inlineBytes = rows.reduce((sum, row) => sum + (row.inlineBytes ?? 0), 0)
      tx.post(
        tx.q
          .updateTable('capture_heads')
          .set({
            position: positions.get(tenantId) ?? 0,
            inline_bytes: sql<number>`inline_bytes + ${inlineBytes}::bigint`,
          })
          .where('tenant_id', '=', tenantId)
          .returning(notify('svc_captures', tenantId).as('notified')),
      )
    }
    return chained.length
  })
}

/** The bytes of stored contents, by tenant. */
function bytesByTenant(
  contents: readonly ChainedCapture[],
  group: readonly ReadyCapture[],
): ReadonlyMap<string, number> {
  const byId = new Map(group.map(({ capture, bytes }) => [capture.facts.id, bytes]))
  const sums = new Map<string, number>()
  for (const { capture } of contents) {
    const { id, tenantId } = capture.facts
    const bytes = byId.get(id) ?? 0
    if (bytes > 0) sums.set(tenantId, (sums.get(tenantId) ?? 0) + bytes)
  }
  return sums
}

/** Locks the heads of live tenants in order, makes the missing ones, and returns their positions. */
async function lockHeads(tx: ServiceTransaction, tenantIds: readonly string[]): Promise<Map<string, number>> {
  const lock = async (): Promise<Map<string, number>> => {
    const rows = await tx.q
      .selectFrom('capture_heads')
      .select(['tenant_id as tenantId', 'position'])
      .where(sql<boolean>`tenant_id = any(${[...tenantIds]}::text[])`)
      .orderBy('tenant_id')
      .forUpdate()
      .execute()
    return new Map(rows.map(({ tenantId, position }) => [tenantId, position]))
  }
  const locked = await lock()
  if (locked.size === tenantIds.length) return locked
  await tx.q
    .insertInto('capture_heads')
    .columns(['tenant_id', 'position', 'indexed'])
    .expression((q) =>
      q
        .selectFrom('tenants')
        .select((of) => ['id', of.lit(0).as('position'), of.lit(0).as('indexed')])
        .where(sql<boolean>`id = any(${[...tenantIds]}::text[])`)
        .where('purged_at', 'is', null)
        .orderBy('id'),
    )
    .onConflict((on) => on.doNothing())
    .execute()
  // Others may have made them meanwhile.
  return await lock()
}

/** Captures that are not stored yet, and when the forget lists of their tenants got their newest terms. */
interface Fresh {
  readonly fresh: readonly ReadyCapture[]
  readonly newest: ReadonlyMap<string, Date>
}

async function withoutKnown(
  tx: ServiceTransaction,
  group: readonly ReadyCapture[],
  live: ReadonlyMap<string, number>,
): Promise<Fresh> {
  const byId = new Map(group.map((ready) => [ready.capture.facts.id, ready]))
  const [known, terms] = await tx.read((q) => [
    q
      .selectFrom('captures')
      .select('id')
      .where(sql<boolean>`id = any(${[...byId.keys()]}::text[])`),
    q
      .selectFrom('forgotten_terms')
      .select((of) => ['tenant_id as tenantId', of.fn.max<Date>('created_at').as('newest')])
      .where(sql<boolean>`tenant_id = any(${[...live.keys()]}::text[])`)
      .groupBy('tenant_id'),
  ])
  for (const { id } of known) byId.delete(id)
  return {
    fresh: [...byId.values()].filter(({ capture }) => live.has(capture.facts.tenantId)),
    newest: new Map(terms.map(({ tenantId, newest }) => [tenantId, newest])),
  }
}

interface OpenChain {
  readonly id: number
  readonly tenantId: string
  readonly begunFor: string
  readonly namespace: string
  readonly signedThrough: number
  readonly before: number
  head: CaptureHead
}

const nameOf = ({ tenantId, namespace }: { readonly tenantId: string; readonly namespace: string }): string =>
  `${tenantId} ${namespace}`

function chainIn(chains: ReadonlyMap<string, OpenChain>, { facts }: NewCapture): OpenChain {
  const chain = chains.get(nameOf(facts))
  if (chain === undefined) throw new Error('a capture has no chain')
  return chain
}

const CHAIN_COLUMNS = [
  'id',
  'tenant_id as tenantId',
  'begun_for as begunFor',
  'namespace',
  'count',
  'head as hash',
  'signed_through as signedThrough',
] as const

/** Begins the missing chains of the captures and locks them all, so that no merge of a workspace closes one meanwhile. */
async function lockChains(
  tx: ServiceTransaction,
  group: readonly ReadyCapture[],
): Promise<ReadonlyMap<string, OpenChain>> {
  const names = new Map(group.map(({ capture: { facts } }) => [nameOf(facts), facts]))
  const wanted = [...names.values()]
  const found = await tx.q
    .selectFrom('capture_chains')
    .select(CHAIN_COLUMNS)
    .where('is_open', '=', true)
    .where((of) =>
      of(
        of.refTuple('tenant_id', 'namespace'),
        'in',
        of
          .selectFrom(
            unnest('w', {
              tenant_id: list(
                'text',
                wanted.map(({ tenantId }) => tenantId),
              ),
              namespace: list(
                'text',
                wanted.map(({ namespace }) => namespace),
              ),
            }),
          )
          .select(['w.tenant_id', 'w.namespace'])
          .$asTuple('tenant_id', 'namespace'),
      ),
    )
    .orderBy('id')
    .forUpdate()
    .execute()
  for (const chain of found) names.delete(nameOf(chain))
  const missing = [...names.values()]
  const begun =
    missing.length === 0
      ? []
      : await tx.q
          .insertInto('capture_chains')
          .values(
            missing.map(({ tenantId, namespace }) => ({
              tenant_id: tenantId,
              namespace,
              begun_for: tenantId,
              is_open: true,
              count: 0,
              head: Buffer.from(GENESIS_HASH),
              cut_through: 0,
              cut_head: Buffer.from(GENESIS_HASH),
              signed_through: 0,
            })),
          )
          .returning(CHAIN_COLUMNS)
          .execute()
  return new Map(
    [...found, ...begun].map(({ count, hash, ...chain }) => [
      nameOf(chain),
      { ...chain, before: count, head: { count, hash } },
    ]),
  )
}

/** Writes the end of a chain, and signs it when a thousand rows have come since the last time. */
function advance(tx: ServiceTransaction, chain: OpenChain, signer: SigningKey, now: Date): void {
  const { id, tenantId, namespace, head } = chain
  if (head.count === chain.before) return
  const isSigned = head.count - chain.signedThrough >= SIGN_EVERY
  if (isSigned) {
    const document = signCaptures(chain, head, now, signer)
    tx.post(
      tx.q
        .insertInto('capture_checkpoints')
        .values({ chain_id: id, count: head.count, tenant_id: tenantId, namespace, at: now, document: json(document) }),
    )
  }
  tx.post(
    tx.q
      .updateTable('capture_chains')
      .set({ count: head.count, head: Buffer.from(head.hash), ...(isSigned && { signed_through: head.count }) })
      .where('id', '=', id),
  )
}
